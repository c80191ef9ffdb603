import java.nio.file.Files;
import java.nio.file.Paths;

/** Links every class named in a file, which verifies it, and tells how many were linked and which were not. */
public class LoadAll {
    public static void main(String[] args) throws Exception {
        int linked = 0;
        int failed = 0;
        for (String name : Files.readAllLines(Paths.get(args[0]))) {
            try {
                Class.forName(name, false, null).getDeclaredMethods();
                linked++;
            } catch (NoClassDefFoundError | ClassNotFoundException e) {
                // Some classes of the JDK name optional ones that are not there; that is no fault of an edit.
                System.out.println("missing " + name + ": " + e);
            } catch (Throwable e) {
                failed++;
                System.out.println("failed " + name + ": " + e);
            }
        }
        System.out.println("linked " + linked + " failed " + failed);
    }
}
