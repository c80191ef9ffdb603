package java.util;

import java.util.stream.BaseStream;

/** Closes the stream that another one was made from. */
final class UnflakeClose implements Runnable {
    private final BaseStream<?, ?> stream;

    UnflakeClose(BaseStream<?, ?> stream) {
        this.stream = stream;
    }

    @Override
    public void run() {
        stream.close();
    }
}
