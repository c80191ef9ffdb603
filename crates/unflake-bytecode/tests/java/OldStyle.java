/** Compiled for Java 1.4 with subroutines: no frames, `jsr` and `ret`. */
public class OldStyle {
    static boolean gate;
    static StringBuffer log = new StringBuffer();

    public static void enter() { log.append("enter "); }
    public static int wrap(int n) { log.append("wrap "); return n + 1; }
    public static int instead(int n) { log.append("instead "); return -n; }

    public static int subject(int n) {
        try {
            while (n > 10) {
                n -= 10;
            }
            return n;
        } finally {
            log.append("finally ");
        }
    }

    public static void main(String[] args) {
        System.out.println(subject(25) + " " + log);
        gate = true;
        log = new StringBuffer();
        System.out.println(subject(25) + " " + log);
    }
}
