package java.util;

/**
 * Ties in heaps: whether one of two equal elements passes the other. Every comparison belongs to a change of the queue,
 * so below FULL it depends on nothing (ONE), on the values of the elements that meet (EQ), or on the queue and what
 * happened to it before (ID).
 */
final class UnflakeTies {
    private static final String[] TIED = {"equal elements stay as they are", "equal elements change places"};

    private UnflakeTies() {
    }

    /**
     * Whether two equal elements change places.
     *
     * @param place where in the heap the moving element would stay
     * @param heap a queue or its array
     */
    static boolean isBroken(int place, Object element, Object heap, int model) {
        UnflakeThread own = Unflake.thread();
        if (own.busy > 0 || !Unflake.choose(own, model)) {
            return false;
        }
        long plan = plan(own, place, element, heap);
        if (Unflake.scripted) {
            plan = UnflakeScript.pick(own, model, UnflakeScript.PICKS, 0, 2, null, plan, TIED);
        }
        return UnflakeOrder.pick(0, 2, plan) == 1;
    }

    private static long plan(UnflakeThread own, int place, Object element, Object heap) {
        int how = Unflake.level;
        if (how == Unflake.FULL) {
            return Unflake.planOfCall(own);
        }
        if (Unflake.form == Unflake.REVERSE) {
            return Unflake.REVERSE_PLAN;
        }
        long key = 2;
        Object[] array = heap instanceof PriorityQueue ? ((PriorityQueue<?>) heap).queue : (Object[]) heap;
        if (how == Unflake.EQ) {
            key = Unflake.mix(key) + values(own, place, element, array);
        } else if (how == Unflake.ID) {
            key = Unflake.mix(key) + history(own, array);
        }
        return Unflake.planOf(Unflake.mix(key));
    }

    /** The values of the element and of those that it can meet: the one above its place and the two below. */
    private static long values(UnflakeThread own, int place, Object element, Object[] array) {
        own.busy++;
        try {
            long sum = place + UnflakeValues.of(element);
            int[] near = {place - 1 >>> 1, 2 * place + 1, 2 * place + 2};
            for (int at : near) {
                sum = Unflake.mix(sum) + UnflakeValues.of(at < array.length ? array[at] : null);
            }
            return sum;
        } catch (Throwable theirs) {
            return history(own, array);
        } finally {
            own.busy--;
        }
    }

    /** The number of the queue's array, which is another one after each tie: as if modifications were counted. */
    private static long history(UnflakeThread own, Object[] array) {
        long number = UnflakeKeys.number(own, array);
        UnflakeNative.setNumber(array, Unflake.mix(number) | 1);
        return number;
    }
}
