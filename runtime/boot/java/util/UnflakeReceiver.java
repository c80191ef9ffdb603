package java.util;

/** Whose method a user's model is: an object, or the name of a class if the method is static. */
final class UnflakeReceiver {
    final Object object;

    UnflakeReceiver(Object object) {
        this.object = object;
    }
}
