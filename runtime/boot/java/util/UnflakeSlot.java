package java.util;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import sun.misc.Unsafe;

/**
 * A field of the JDK that holds an object, by name: read where it lies, so that nothing is initialised, no security
 * manager is asked and no code of the project runs. Fields come and go between Java 8 and 25; one that is not there
 * reads as {@code null}.
 */
final class UnflakeSlot {
    private static final Unsafe UNSAFE = unsafe();
    private static final long UNKNOWN = -1;
    private static final long MISSING = -2;

    private final String type;
    private final String name;
    /** The bit of {@link UnflakeJvmState#loaded} that says that the class is loaded; -1: it always is. */
    private final int late;

    private Class<?> owner;
    private Object base;
    private long offset = UNKNOWN;

    UnflakeSlot(String type, String name, int late) {
        this.type = type;
        this.name = name;
        this.late = late;
    }

    /** For a static field: whether its class is initialised, and has it. */
    boolean isThere() {
        if (offset == UNKNOWN) {
            find();
        }
        return offset >= 0;
    }

    /** For a static field. */
    Object get() {
        return isThere() ? UNSAFE.getObject(base, offset) : null;
    }

    /** For a field of an object, which must be of the field's class. */
    Object of(Object object) {
        if (offset == UNKNOWN) {
            find();
        }
        return offset < 0 || object == null ? null : UNSAFE.getObject(object, offset);
    }

    private void find() {
        if (UNSAFE == null || (late >= 0 && (UnflakeJvmState.loaded >>> late & 1) == 0)) {
            return;
        }
        try {
            if (owner == null) {
                owner = Class.forName(type, false, null);
            }
            if (UNSAFE.shouldBeInitialized(owner)) {
                return;
            }
            Field field = owner.getDeclaredField(name);
            if (field.getType().isPrimitive()) {
                offset = MISSING;
            } else if (Modifier.isStatic(field.getModifiers())) {
                base = UNSAFE.staticFieldBase(field);
                offset = UNSAFE.staticFieldOffset(field);
            } else {
                offset = UNSAFE.objectFieldOffset(field);
            }
        } catch (Exception absent) {
            offset = MISSING;
        } catch (LinkageError absent) {
            offset = MISSING;
        }
    }

    private static Unsafe unsafe() {
        try {
            return Unsafe.getUnsafe();
        } catch (Throwable absent) {
            return null;
        }
    }
}
