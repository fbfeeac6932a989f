package payments.sandbox.junit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Test;

/** A {@code @Test} with a {@link payments.sandbox.World} of its own as a parameter: {@code @Test} and {@link PaymentsSandbox} in one. */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
@Test
@PaymentsSandbox
public @interface PaymentsTest {}
