package java.util;

import sun.misc.Unsafe;

/**
 * The words of a state, packed, and the numbers of the objects in it.
 *
 * <p>Objects are numbered in the order in which they are reached. Which ones were reached is known by their identity
 * hash: that leaves a hash in an object's header, as any {@link IdentityHashMap} does, and nothing else.
 */
final class UnflakeWords {
    private static final Unsafe UNSAFE = Unsafe.getUnsafe();

    /** Objects that were reached, in rows: a larger array would have to be copied, and the old one lies around. */
    private static Object[][] queue = new Object[16][];
    static int queued;
    private static final int ROW_BITS = 10;
    private static final int ROW = 1 << ROW_BITS;
    /** The numbers of objects, found by their hashes, outside of the heap that it is about; 0 between two walks. */
    private static long table;
    private static int places = ROW;

    /** Where the current part is written. */
    private static long memory;
    private static long room;
    private static long at;
    /** Bytes that were handed over. */
    private static long before;
    private static final int LEAST_PART = 1 << 10;
    private static final int LARGE_PART = 1 << 12;

    private UnflakeWords() {}

    /** Before the first state. */
    static void allocate() {
        room = 2 * LARGE_PART;
        memory = UNSAFE.allocateMemory(room);
    }

    /** A new state. */
    static void begin() {
        at = 0;
        before = 0;
        UnflakeNative.rewind(0);
        table = UNSAFE.allocateMemory(4L * places);
        UNSAFE.setMemory(table, 4L * places, (byte) 0);
    }

    /** Where the next word goes. */
    static long position() {
        return before + at;
    }

    /** The end of a state goes to the agent; whether it differs from the last one. See {@link UnflakeNative#walked}. */
    static boolean end(int by, String[] names, boolean again, String[] jvm, long nanos) {
        // To compare two states takes memory too, and need not come on top of this.
        freeTable();
        return UnflakeNative.walked(memory, at, by, names, again, jvm, nanos, held(), 4L * places);
    }

    private static void freeTable() {
        UNSAFE.freeMemory(table);
        table = 0;
    }

    /** How many bytes are in use here. */
    private static long held() {
        int rows = 0;
        while (rows < queue.length && queue[rows] != null) {
            rows++;
        }
        return room + (long) UNSAFE.arrayIndexScale(Object[].class) * ROW * rows;
    }

    /** Seven bits to a byte, one more than the word: 0 stands for the next new object. */
    static void put(int word) {
        long left = (word & 0xffffffffL) + 1;
        long place = memory + at;
        while (left >= 0x80) {
            UNSAFE.putByte(place++, (byte) (left | 0x80));
            left >>>= 7;
        }
        UNSAFE.putByte(place++, (byte) left);
        at = place - memory;
    }

    /** From so many objects on those that have no number yet are not read. */
    static int limit = Integer.MAX_VALUE;

    static void putReference(Object object) {
        if (queued >= limit && object != null && !isReached(object)) {
            object = UnflakeUnread.ONE;
        }
        putReferenceAnyway(object);
    }

    /** However many there are. */
    static void putReferenceAnyway(Object object) {
        int known = queued;
        int number = number(object);
        if (queued == known) {
            put(number);
        } else {
            UNSAFE.putByte(memory + at++, (byte) 0);
        }
    }

    private static final int LONGEST = 5;

    /** Leaves room for a word that is not known yet; where it is. */
    static long putLater() {
        long place = at;
        at += LONGEST;
        return place;
    }

    static void putNow(long place, int word) {
        long left = (word & 0xffffffffL) + 1;
        for (int i = 0; i < LONGEST; i++) {
            UNSAFE.putByte(memory + place + i, (byte) (i + 1 < LONGEST ? left | 0x80 : left));
            left >>>= 7;
        }
    }

    static void ensure(long words) {
        long end = at + LONGEST * (words + 8);
        if (end > room) {
            room = Math.max(2 * room, end);
            memory = UNSAFE.reallocateMemory(memory, room);
        }
    }

    /**
     * Between two objects, never in the middle of one. It depends on the bytes before, so that an object more or less
     * moves the next few parts' ends only: the agent keeps parts that it knows once.
     */
    static void handOverIfFull() {
        if (at < LEAST_PART || at < LARGE_PART && !isEnd(memory + at)) {
            return;
        }
        UnflakeNative.walkedPart(memory, at);
        before += at;
        at = 0;
    }

    /** By chance, once in 256 times. */
    private static boolean isEnd(long address) {
        int bytes = UNSAFE.getByte(address - 1) << 16 ^ UNSAFE.getByte(address - 2) << 8 ^ UNSAFE.getByte(address - 3);
        return bytes * 0x9e3779b9 >>> 24 == 0;
    }

    static void rewind(long to) {
        if (to < before) {
            UnflakeNative.rewind(to);
            before = to;
        }
        at = to - before;
    }

    static Object reached(int index) {
        return queue[index >>> ROW_BITS][index & ROW - 1];
    }

    /** Whether an object has a number. */
    static boolean isReached(Object object) {
        if (object == null) {
            return false;
        }
        int place = place(object);
        return UNSAFE.getInt(table + 4L * place) != 0;
    }

    /** Where the number of an object is, or goes. */
    private static int place(Object object) {
        int hash = System.identityHashCode(object);
        int place = hash % places;
        int number = UNSAFE.getInt(table + 4L * place);
        if (number == 0 || reached(number - 1) == object) {
            return place;
        }
        place = second(hash);
        for (number = UNSAFE.getInt(table + 4L * place); number != 0; number = UNSAFE.getInt(table + 4L * place)) {
            if (reached(number - 1) == object) {
                return place;
            }
            place = place + 1 == places ? 0 : place + 1;
        }
        return place;
    }

    /** The number of an object; a new one is put at the end of the queue. */
    private static int number(Object object) {
        if (object == null) {
            return 0;
        }
        int place = place(object);
        int number = UNSAFE.getInt(table + 4L * place);
        if (number != 0) {
            return number;
        }
        int row = queued >>> ROW_BITS;
        if (row == queue.length) {
            queue = Arrays.copyOf(queue, 2 * row);
        }
        if (queue[row] == null) {
            queue[row] = new Object[ROW];
        }
        queue[row][queued++ & ROW - 1] = object;
        UNSAFE.putInt(table + 4L * place, queued);
        if (queued > places / 8 * 7) {
            rehash(places + (places >> 3));
        }
        return queued;
    }

    /**
     * Where an object goes whose first place is taken. The first is by the hash as it is: hashes come from a counter,
     * so objects that are reached one after the other have places one after the other.
     */
    private static int second(int hash) {
        int mixed = hash * 0x9e3779b9;
        return (int) (((mixed ^ mixed >>> 15) & 0xffffffffL) * places >>> 32);
    }

    private static void rehash(int size) {
        table = UNSAFE.reallocateMemory(table, 4L * size);
        places = size;
        UNSAFE.setMemory(table, 4L * size, (byte) 0);
        for (int i = 0; i < queued; i++) {
            int hash = System.identityHashCode(reached(i));
            int place = hash % size;
            if (UNSAFE.getInt(table + 4L * place) != 0) {
                place = second(hash);
                while (UNSAFE.getInt(table + 4L * place) != 0) {
                    place = place + 1 == size ? 0 : place + 1;
                }
            }
            UNSAFE.putInt(table + 4L * place, i + 1);
        }
    }

    /** Takes back the numbers from this many objects on. */
    static void unnumber(int count) {
        for (int i = count; i < queued; i++) {
            queue[i >>> ROW_BITS][i & ROW - 1] = null;
        }
        queued = count;
        rehash(places);
    }

    /** Keeps nothing alive between tests. */
    static void forget() {
        freeTable();
        for (int row = 0; row << ROW_BITS < queued; row++) {
            Arrays.fill(queue[row], null);
        }
        queued = 0;
    }
}
