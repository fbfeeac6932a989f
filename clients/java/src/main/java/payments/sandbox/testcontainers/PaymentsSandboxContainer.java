package payments.sandbox.testcontainers;

import com.github.dockerjava.api.model.VersionComponent;
import java.util.List;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.wait.strategy.Wait;
import org.testcontainers.utility.DockerImageName;
import payments.sandbox.Sandbox;

/** The sandbox in a container, which finds receivers on this machine; for whoever has Testcontainers. */
public class PaymentsSandboxContainer extends GenericContainer<PaymentsSandboxContainer> {
  private static final int PORT = 8080;
  private static final String REWRITE = "SANDBOX_CALLBACK_REWRITE";

  /** @param image such as {@code registry.example.com/payments-sandbox:0.1.0} */
  public PaymentsSandboxContainer(String image) {
    super(DockerImageName.parse(image));
    withExposedPorts(PORT);
    waitingFor(Wait.forHttp("/readyz").forPort(PORT));
  }

  /** Docker on Linux has to be told the name of the machine; Podman has one of its own. */
  @Override
  protected void configure() {
    if (!isPodman()) withExtraHost("host.docker.internal", "host-gateway");
    else if (!getEnvMap().containsKey(REWRITE)) withEnv(REWRITE, "localhost=host.containers.internal");
  }

  public String url() {
    return "http://" + getHost() + ":" + getMappedPort(PORT);
  }

  /** The sandbox in it, once it is started; closing it stops the container. */
  public Sandbox sandbox() {
    return new Sandbox(url(), "demo", "demo", true, this::stop);
  }

  private boolean isPodman() {
    List<VersionComponent> components = getDockerClient().versionCmd().exec().getComponents();
    return components != null && components.stream().anyMatch(each -> each.getName().startsWith("Podman"));
  }
}
