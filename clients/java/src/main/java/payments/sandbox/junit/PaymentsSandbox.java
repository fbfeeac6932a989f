package payments.sandbox.junit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;
import payments.sandbox.Sandbox;
import payments.sandbox.World;

/**
 * Gives tests a {@link World} of their own as a parameter, and the {@link Sandbox} of the session. A test that fails shows what happened in its
 * world.
 *
 * <p>A world that {@code @BeforeAll} or a constructor takes is that of all tests of the class.
 */
@Documented
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.TYPE, ElementType.METHOD})
@ExtendWith(PaymentsSandboxExtension.class)
public @interface PaymentsSandbox {
  /** How the world's clock starts: {@code frozen}, {@code real}, or a time to stand still at, such as {@code 2027-01-01T00:00:00Z}. */
  String clock() default "frozen";

  /** Settings of the world, such as {@code settle_after=500ms}. */
  String[] settings() default {};
}
