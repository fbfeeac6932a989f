package shop;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import payments.sandbox.Payment;
import payments.sandbox.Receiver;
import payments.sandbox.World;
import payments.sandbox.junit.PaymentsTest;

class PaymentsReceiverTest {
  private final List<String> received = new CopyOnWriteArrayList<>();
  private int failures;
  private Receiver server;

  private void book(String payment) {
    if (failures-- > 0) throw new IllegalStateException("the database is down");
    received.add(payment);
  }

  /** Starts a shop, which receives callbacks at the returned address. */
  private String startShop(World world) {
    PaymentsReceiver receiver = new PaymentsReceiver(world.secret(), this::book);
    server = world.listen(callback -> {
      try {
        return receiver.receive(callback.headers()::get, callback.bytes());
      } catch (IllegalStateException error) {
        return 500;
      }
    });
    return server.url();
  }

  @AfterEach
  void stopShop() {
    server.close();
  }

  @PaymentsTest
  void anOrderIsPaid(World world) {
    Payment payment = world.pay(Payment.options().callbackUrl(startShop(world)));
    world.settle();
    world.expectCallback(payment, "status", "success");
    assertEquals(1, received.size());
  }

  @PaymentsTest
  void thePayerCancels(World world) {
    Payment payment = world.pay(Payment.outcome("payer-cancels").callbackUrl(startShop(world)));
    world.settle();
    world.expectCallback(payment, "status", "failed");
    assertEquals(1, received.size());
  }

  @PaymentsTest
  void aCallbackThatIsDeliveredTwiceCountsOnce(World world) {
    Payment payment = world.pay(Payment.outcome("duplicate-callback").callbackUrl(startShop(world)));
    world.settle();
    assertEquals(2, world.callback(payment).deliveries());
    assertEquals(1, received.size());
  }

  @PaymentsTest
  void aPaymentThatCouldNotBeStoredIsStoredAtTheNextAttempt(World world) {
    failures = 1;
    Payment payment = world.pay(Payment.options().callbackUrl(startShop(world)));
    world.settle();
    world.expectCallback(payment, "status", "success");
    assertEquals(1, received.size());
  }
}
