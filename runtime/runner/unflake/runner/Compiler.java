package unflake.runner;

import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.File;
import java.io.IOException;
import java.io.PrintStream;
import java.io.StringWriter;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * Compiles files that unflake names, again and again: a compiler that is warm takes a tenth of the time of a new one.
 *
 * <p>A request is a list of options and a list of files; the answer is whether it went well, and the errors. It ends
 * when its standard input does.
 */
public final class Compiler {
    private Compiler() {}

    public static void main(String[] arguments) throws IOException {
        DataInputStream in = new DataInputStream(System.in);
        DataOutputStream out = new DataOutputStream(new BufferedOutputStream(System.out));
        // Annotation processors print what they like.
        System.setOut(new PrintStream(System.err, true));
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        out.writeBoolean(compiler != null);
        out.flush();
        while (compiler != null) {
            List<String> options;
            try {
                options = texts(in);
            } catch (EOFException end) {
                return;
            }
            compile(compiler, options, texts(in), out);
            out.flush();
        }
    }

    private static void compile(JavaCompiler compiler, List<String> options, List<String> names, DataOutputStream out)
            throws IOException {
        DiagnosticCollector<JavaFileObject> said = new DiagnosticCollector<>();
        List<File> files = new ArrayList<>();
        for (String name : names) {
            files.add(new File(name));
        }
        boolean isDone;
        String broken = "";
        StandardJavaFileManager manager = compiler.getStandardFileManager(said, null, encoding(options));
        try {
            Iterable<? extends JavaFileObject> units = manager.getJavaFileObjectsFromFiles(files);
            isDone = compiler.getTask(new StringWriter(), manager, said, options, null, units).call();
        } catch (RuntimeException problem) {
            // An option that this compiler does not know, or an annotation processor that throws.
            isDone = false;
            broken = String.valueOf(problem.getMessage());
        } finally {
            manager.close();
        }
        List<Diagnostic<? extends JavaFileObject>> errors = new ArrayList<>();
        for (Diagnostic<? extends JavaFileObject> diagnostic : said.getDiagnostics()) {
            if (diagnostic.getKind() == Diagnostic.Kind.ERROR) {
                errors.add(diagnostic);
            }
        }
        out.writeBoolean(isDone);
        out.writeInt(errors.size() + (broken.isEmpty() ? 0 : 1));
        for (Diagnostic<? extends JavaFileObject> error : errors) {
            JavaFileObject source = error.getSource();
            write(source == null ? "" : new File(source.toUri()).getPath(), out);
            out.writeInt((int) Math.max(0, error.getLineNumber()));
            write(error.getMessage(Locale.ENGLISH), out);
        }
        if (!broken.isEmpty()) {
            write("", out);
            out.writeInt(0);
            write(broken, out);
        }
    }

    /** A file manager with an encoding of its own does not look at the option. */
    private static Charset encoding(List<String> options) {
        int at = options.indexOf("-encoding");
        boolean isNamed = at >= 0 && at + 1 < options.size();
        return isNamed ? Charset.forName(options.get(at + 1)) : StandardCharsets.UTF_8;
    }

    private static List<String> texts(DataInputStream in) throws IOException {
        int count = in.readInt();
        List<String> texts = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            byte[] bytes = new byte[in.readInt()];
            in.readFully(bytes);
            texts.add(new String(bytes, StandardCharsets.UTF_8));
        }
        return texts;
    }

    private static void write(String text, DataOutputStream out) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        out.writeInt(bytes.length);
        out.write(bytes);
    }
}
