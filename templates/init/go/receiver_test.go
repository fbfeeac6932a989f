package payments

import (
	"errors"
	"net/http/httptest"
	"testing"

	sandbox "github.com/OWNER/payments-sandbox/clients/go"
)

func startShop(t *testing.T, world *sandbox.World, failures int) (callbackURL string, received *[]Payment) {
	received = &[]Payment{}
	server := httptest.NewServer(Receiver(world.Secret, func(p Payment) error {
		if failures--; failures >= 0 {
			return errors.New("the database is down")
		}
		*received = append(*received, p)
		return nil
	}))
	t.Cleanup(server.Close)
	return server.URL + "/callbacks/payments", received
}

func TestAnOrderIsPaid(t *testing.T) {
	world := sandbox.NewWorld(t)
	url, received := startShop(t, world, 0)
	payment := world.Pay(sandbox.Payment{CallbackURL: url})
	world.Settle()
	if len(*received) != 1 || (*received)[0].Reference != payment.Reference || (*received)[0].Status != "success" {
		t.Error(*received)
	}
}

func TestThePayerCancels(t *testing.T) {
	world := sandbox.NewWorld(t)
	url, received := startShop(t, world, 0)
	world.Pay(sandbox.Payment{Outcome: "payer-cancels", CallbackURL: url})
	world.Settle()
	if len(*received) != 1 || (*received)[0].Status != "failed" {
		t.Error(*received)
	}
}

func TestACallbackThatIsDeliveredTwiceCountsOnce(t *testing.T) {
	world := sandbox.NewWorld(t)
	url, received := startShop(t, world, 0)
	payment := world.Pay(sandbox.Payment{Outcome: "duplicate-callback", CallbackURL: url})
	world.Settle()
	if deliveries := world.Callback(payment).Deliveries; deliveries != 2 || len(*received) != 1 {
		t.Error(deliveries, *received)
	}
}

func TestAPaymentThatCouldNotBeStoredIsStoredAtTheNextAttempt(t *testing.T) {
	world := sandbox.NewWorld(t)
	url, received := startShop(t, world, 1)
	world.Pay(sandbox.Payment{CallbackURL: url})
	world.Settle()
	if len(*received) != 1 || (*received)[0].Status != "success" {
		t.Error(*received)
	}
}
