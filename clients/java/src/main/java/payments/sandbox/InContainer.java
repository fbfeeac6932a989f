package payments.sandbox;

import java.util.Map;
import payments.sandbox.testcontainers.PaymentsSandboxContainer;

/** Loaded only if Testcontainers is on the class path. */
final class InContainer {
  private InContainer() {}

  static Sandbox start(String image, Map<String, String> settings) {
    @SuppressWarnings("resource") // The sandbox stops it.
    PaymentsSandboxContainer container = new PaymentsSandboxContainer(image).withEnv(settings);
    container.start();
    return container.sandbox();
  }
}
