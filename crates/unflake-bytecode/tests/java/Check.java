import java.io.File;
import java.net.URL;
import java.net.URLClassLoader;

/** Runs the battery once per directory of edited classes, which come before the unedited ones, each in a loader of its own. */
public class Check {
    public static void main(String[] args) throws Exception {
        URL plain = new File(args[0]).toURI().toURL();
        for (int i = 1; i < args.length; i += 2) {
            URL edited = new File(args[i]).toURI().toURL();
            ClassLoader loader = new URLClassLoader(new URL[] {edited, plain}, null);
            System.out.println("== " + new File(args[i]).getName());
            try {
                Object result = loader.loadClass("Battery").getMethod("run", boolean.class).invoke(null, args[i + 1].equals("open"));
                System.out.print(result);
            } catch (java.lang.reflect.InvocationTargetException e) {
                e.getCause().printStackTrace(System.out);
            }
        }
    }
}
