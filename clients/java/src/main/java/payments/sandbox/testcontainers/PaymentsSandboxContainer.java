package payments.sandbox.testcontainers;

import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.wait.strategy.Wait;
import org.testcontainers.utility.DockerImageName;
import payments.sandbox.Sandbox;

/** The sandbox in a container, which finds receivers on this machine; for whoever has Testcontainers. */
public class PaymentsSandboxContainer extends GenericContainer<PaymentsSandboxContainer> {
  private static final int PORT = 8080;

  /** @param image such as {@code registry.example.com/payments-sandbox:0.1.0} */
  public PaymentsSandboxContainer(String image) {
    super(DockerImageName.parse(image));
    withExposedPorts(PORT);
    withExtraHost("host.docker.internal", "host-gateway");
    waitingFor(Wait.forHttp("/readyz").forPort(PORT));
  }

  public String url() {
    return "http://" + getHost() + ":" + getMappedPort(PORT);
  }

  /** The sandbox in it, once it is started; closing it stops the container. */
  public Sandbox sandbox() {
    return new Sandbox(url(), "demo", "demo", true, this::stop);
  }
}
