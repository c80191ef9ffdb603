package java.util;

/**
 * The entries of a directory in an order of our own. They are read when the first is asked for; what reading throws
 * comes after the entries that were read before it.
 */
final class UnflakeDirectoryIterator implements Iterator<Object> {
    private final Iterator<?> natural;
    private final int model;
    private Object[] entries;
    private Throwable thrown;
    private int at;

    UnflakeDirectoryIterator(Iterator<?> natural, int model) {
        this.natural = natural;
        this.model = model;
    }

    @Override
    public boolean hasNext() {
        bind();
        if (at < entries.length) {
            return true;
        }
        rethrow();
        return false;
    }

    @Override
    public Object next() {
        if (!hasNext()) {
            throw new NoSuchElementException();
        }
        return entries[at++];
    }

    @Override
    public void remove() {
        throw new UnsupportedOperationException();
    }

    private void bind() {
        if (entries != null) {
            return;
        }
        UnflakeBuffer all = new UnflakeBuffer();
        try {
            while (natural.hasNext()) {
                all.accept(natural.next());
            }
        } catch (Throwable theirs) {
            thrown = theirs;
        }
        entries = all.toArray();
        UnflakeThread own = Unflake.thread();
        if (entries.length > 1 && Unflake.open && own.busy == 0) {
            long plan = UnflakeKeys.plan(own, model, null, names(entries), 0, entries.length);
            UnflakeOrder.apply(entries, 0, entries.length, plan);
        }
    }

    /** The stream is another one each time and the directory's own name too, often: what it lists stands for both. */
    private static Object[] names(Object[] paths) {
        if (Unflake.level != Unflake.EQ && Unflake.level != Unflake.ID) {
            return paths;
        }
        Object[] names = new Object[paths.length];
        for (int i = 0; i < names.length; i++) {
            String path = String.valueOf(paths[i]);
            names[i] = path.substring(path.lastIndexOf('/') + 1);
        }
        return names;
    }

    private void rethrow() {
        Throwable theirs = thrown;
        thrown = null;
        if (theirs instanceof RuntimeException) {
            throw (RuntimeException) theirs;
        }
        if (theirs instanceof Error) {
            throw (Error) theirs;
        }
    }
}
