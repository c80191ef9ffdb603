package java.util;

import java.util.function.Consumer;

/**
 * A spliterator over an order of our own. It binds as late as the original does: until the first element or a split is
 * asked for it *is* the original; then it takes all elements out of it and goes on by itself. Where the original fails
 * fast, so does this one.
 */
final class UnflakeSpliterator implements Spliterator<Object> {
    private final Spliterator<Object> natural;
    private final Object owner;
    private final int model;
    /** Whether it is known which of the two is used from now on. */
    private boolean bound;
    /** Null as long as the original is used. */
    private Object[] elements;
    private int at;
    private int end;
    private int expected;
    private int characteristics;

    @SuppressWarnings("unchecked")
    UnflakeSpliterator(Spliterator<?> natural, Object owner, int model) {
        this.natural = (Spliterator<Object>) natural;
        this.owner = owner;
        this.model = model;
    }

    private UnflakeSpliterator(UnflakeSpliterator of, int at, int end) {
        this(of.natural, of.owner, of.model);
        this.bound = true;
        this.elements = of.elements;
        this.at = at;
        this.end = end;
        this.expected = of.expected;
        this.characteristics = of.characteristics;
    }

    private void bind() {
        bound = true;
        UnflakeThread own = Unflake.thread();
        if (!Unflake.open || own.busy > 0) {
            return;
        }
        if (!Unflake.varying) {
            // The original splits in its own way, and only it does so exactly.
            if (natural.estimateSize() > 1) {
                Unflake.choose(own, model);
            }
            return;
        }
        int what = natural.characteristics();
        UnflakeBuffer all = new UnflakeBuffer();
        own.busy++;
        try {
            natural.forEachRemaining(all);
        } finally {
            own.busy--;
        }
        Object[] taken = all.toArray();
        if (taken.length > 1) {
            UnflakeOrder.apply(taken, 0, taken.length, plan(own, taken));
        }
        elements = taken;
        end = taken.length;
        expected = UnflakeKeys.modCount(owner);
        characteristics = what;
    }

    private long plan(UnflakeThread own, Object[] taken) {
        return owner instanceof HashMap && ((HashMap<?, ?>) owner).size == taken.length
            ? Unflake.hashPlan(own, (HashMap<?, ?>) owner, model)
            : UnflakeKeys.plan(own, model, owner, taken, 0, taken.length);
    }

    @Override
    public boolean tryAdvance(Consumer<? super Object> action) {
        if (action == null) {
            throw new NullPointerException();
        }
        if (!bound) {
            bind();
        }
        if (elements == null) {
            return natural.tryAdvance(action);
        }
        if (at >= end) {
            return false;
        }
        action.accept(elements[at++]);
        check();
        return true;
    }

    @Override
    public void forEachRemaining(Consumer<? super Object> action) {
        if (action == null) {
            throw new NullPointerException();
        }
        if (!bound) {
            bind();
        }
        if (elements == null) {
            natural.forEachRemaining(action);
            return;
        }
        while (at < end) {
            action.accept(elements[at++]);
            check();
        }
    }

    @Override
    public Spliterator<Object> trySplit() {
        if (!bound) {
            bind();
        }
        if (elements == null) {
            return natural.trySplit();
        }
        int middle = (at + end) >>> 1;
        if (middle <= at) {
            return null;
        }
        if ((characteristics & SUBSIZED) == 0) {
            characteristics &= ~SIZED;
        }
        UnflakeSpliterator before = new UnflakeSpliterator(this, at, middle);
        at = middle;
        return before;
    }

    @Override
    public long estimateSize() {
        return elements == null ? natural.estimateSize() : end - at;
    }

    @Override
    public int characteristics() {
        return elements == null ? natural.characteristics() : characteristics;
    }

    @Override
    public Comparator<? super Object> getComparator() {
        return natural.getComparator();
    }

    private void check() {
        if (UnflakeKeys.modCount(owner) != expected) {
            throw new ConcurrentModificationException();
        }
    }
}
