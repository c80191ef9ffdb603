package java.util;

/**
 * Which of several equal elements a binary search finds. The natural answer is known; the run of equal elements around
 * it is looked at with the comparison that the search used, and any of the run is an allowed answer.
 */
final class UnflakeSearch {
    /** No further than this to either side: a search must stay cheap in an array full of the same. */
    private static final int FAR = 64;

    private UnflakeSearch() {
    }

    /** The answer for a run from {@code low} to {@code high} (inclusive) that {@code found} is in. */
    static int pick(int found, int low, int high, Object owner, int model) {
        if (low == high) {
            return found;
        }
        UnflakeThread own = Unflake.thread();
        if (own.busy > 0 || !Unflake.choose(own, model)) {
            return found;
        }
        long plan;
        if (Unflake.level == Unflake.FULL) {
            plan = Unflake.planOfCall(own);
        } else {
            long key = high - low + 1;
            if (Unflake.level != Unflake.ONE) {
                key = Unflake.mix(key) + low;
            }
            if (Unflake.level == Unflake.ID) {
                key = Unflake.mix(key) + UnflakeKeys.number(own, owner);
            }
            plan = Unflake.planOf(Unflake.mix(key));
        }
        int n = high - low + 1;
        if (Unflake.scripted) {
            String[] answers = UnflakeScript.isShowing() ? indices(low, n) : null;
            plan = UnflakeScript.pick(own, model, UnflakeScript.PICKS, found - low, n, owner, plan, answers);
        }
        return low + UnflakeOrder.pick(found - low, n, plan);
    }

    private static String[] indices(int low, int n) {
        String[] indices = new String[n];
        for (int i = 0; i < n; i++) {
            indices[i] = "index ".concat(String.valueOf(low + i));
        }
        return indices;
    }

    static int found(int found, Object[] array, int from, int to, Object key, Comparator<Object> by, int model) {
        UnflakeThread own = Unflake.thread();
        if (found < 0 || own.busy > 0) {
            return found;
        }
        int low = found;
        int high = found;
        own.busy++;
        try {
            while (low > from && found - low < FAR && equal(array[low - 1], key, by)) {
                low--;
            }
            while (high < to - 1 && high - found < FAR && equal(array[high + 1], key, by)) {
                high++;
            }
        } catch (RuntimeException theirs) {
            return found;
        } finally {
            own.busy--;
        }
        return pick(found, low, high, array, model);
    }

    static int found(int found, List<?> list, Object key, Comparator<Object> by, int model) {
        UnflakeThread own = Unflake.thread();
        // Like the search itself: a long list without random access is not for jumping around in.
        if (found < 0 || own.busy > 0 || !(list instanceof RandomAccess) && list.size() > 5000) {
            return found;
        }
        int low = found;
        int high = found;
        own.busy++;
        try {
            while (low > 0 && found - low < FAR && equal(list.get(low - 1), key, by)) {
                low--;
            }
            while (high < list.size() - 1 && high - found < FAR && equal(list.get(high + 1), key, by)) {
                high++;
            }
        } catch (RuntimeException theirs) {
            return found;
        } finally {
            own.busy--;
        }
        return pick(found, low, high, list, model);
    }

    @SuppressWarnings("unchecked")
    private static boolean equal(Object element, Object key, Comparator<Object> by) {
        return (by == null ? ((Comparable<Object>) element).compareTo(key) : by.compare(element, key)) == 0;
    }

    static int found(int found, long[] array, int from, int to, int model) {
        if (found < 0) {
            return found;
        }
        long key = array[found];
        int low = found;
        int high = found;
        while (low > from && found - low < FAR && array[low - 1] == key) {
            low--;
        }
        while (high < to - 1 && high - found < FAR && array[high + 1] == key) {
            high++;
        }
        return pick(found, low, high, array, model);
    }

    static int found(int found, int[] array, int from, int to, int model) {
        if (found < 0) {
            return found;
        }
        int key = array[found];
        int low = found;
        int high = found;
        while (low > from && found - low < FAR && array[low - 1] == key) {
            low--;
        }
        while (high < to - 1 && high - found < FAR && array[high + 1] == key) {
            high++;
        }
        return pick(found, low, high, array, model);
    }

    static int found(int found, short[] array, int from, int to, int model) {
        if (found < 0) {
            return found;
        }
        short key = array[found];
        int low = found;
        int high = found;
        while (low > from && found - low < FAR && array[low - 1] == key) {
            low--;
        }
        while (high < to - 1 && high - found < FAR && array[high + 1] == key) {
            high++;
        }
        return pick(found, low, high, array, model);
    }

    static int found(int found, char[] array, int from, int to, int model) {
        if (found < 0) {
            return found;
        }
        char key = array[found];
        int low = found;
        int high = found;
        while (low > from && found - low < FAR && array[low - 1] == key) {
            low--;
        }
        while (high < to - 1 && high - found < FAR && array[high + 1] == key) {
            high++;
        }
        return pick(found, low, high, array, model);
    }

    static int found(int found, byte[] array, int from, int to, int model) {
        if (found < 0) {
            return found;
        }
        byte key = array[found];
        int low = found;
        int high = found;
        while (low > from && found - low < FAR && array[low - 1] == key) {
            low--;
        }
        while (high < to - 1 && high - found < FAR && array[high + 1] == key) {
            high++;
        }
        return pick(found, low, high, array, model);
    }

    static int found(int found, double[] array, int from, int to, int model) {
        if (found < 0) {
            return found;
        }
        double key = array[found];
        int low = found;
        int high = found;
        while (low > from && found - low < FAR && Double.compare(array[low - 1], key) == 0) {
            low--;
        }
        while (high < to - 1 && high - found < FAR && Double.compare(array[high + 1], key) == 0) {
            high++;
        }
        return pick(found, low, high, array, model);
    }

    static int found(int found, float[] array, int from, int to, int model) {
        if (found < 0) {
            return found;
        }
        float key = array[found];
        int low = found;
        int high = found;
        while (low > from && found - low < FAR && Float.compare(array[low - 1], key) == 0) {
            low--;
        }
        while (high < to - 1 && high - found < FAR && Float.compare(array[high + 1], key) == 0) {
            high++;
        }
        return pick(found, low, high, array, model);
    }
}
