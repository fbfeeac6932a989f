package shop;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.event.EventListener;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import payments.sandbox.Payment;
import payments.sandbox.World;
import payments.sandbox.junit.PaymentsSandbox;
import shop.PaymentsController.PaymentReceived;

@PaymentsSandbox
@SpringBootTest(webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT)
class PaymentsReceiverTest {
  private static World world;

  @TestConfiguration
  static class Shop {
    final List<PaymentReceived> received = new CopyOnWriteArrayList<>();
    volatile int failures;

    @EventListener
    void handle(PaymentReceived payment) {
      if (failures-- > 0) throw new IllegalStateException("the database is down");
      received.add(payment);
    }
  }

  @Autowired Shop shop;

  @Value("${local.server.port}")
  int port;

  /** The tests of this class share a world, because the application has one secret. */
  @BeforeAll
  static void use(World created) {
    world = created;
  }

  @DynamicPropertySource
  static void configure(DynamicPropertyRegistry properties) {
    properties.add("payments.webhook-secret", () -> world.secret());
  }

  private Payment pay(Payment.Options options) {
    Payment payment = world.pay(options.callbackUrl("127.0.0.1:" + port + "/callbacks/payments"));
    world.settle();
    return payment;
  }

  private List<String> statusesOf(Payment payment) {
    return shop.received.stream().filter(each -> each.reference().equals(payment.reference())).map(PaymentReceived::status).toList();
  }

  @Test
  void anOrderIsPaid() {
    assertEquals(List.of("success"), statusesOf(pay(Payment.options())));
  }

  @Test
  void thePayerCancels() {
    assertEquals(List.of("failed"), statusesOf(pay(Payment.outcome("payer-cancels"))));
  }

  @Test
  void aCallbackThatIsDeliveredTwiceCountsOnce() {
    Payment payment = pay(Payment.outcome("duplicate-callback"));
    assertEquals(2, world.callback(payment).deliveries());
    assertEquals(List.of("success"), statusesOf(payment));
  }

  @Test
  void aPaymentThatCouldNotBeStoredIsStoredAtTheNextAttempt() {
    shop.failures = 1;
    assertEquals(List.of("success"), statusesOf(pay(Payment.options())));
  }
}
