package unflake.bench;

import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** What one choice costs: a set that does not change is iterated from front to back. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class HashSetIteration {
    @Param({"10", "1000"})
    public int size;

    private Set<String> set;

    @Setup
    public void fill() {
        set = new HashSet<String>();
        for (int i = 0; i < size; i++) {
            set.add("element " + i);
        }
    }

    @Benchmark
    public int iterate() {
        int sum = 0;
        for (String element : set) {
            sum += element.length();
        }
        return sum;
    }
}
