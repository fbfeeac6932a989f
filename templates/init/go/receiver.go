// Package payments receives callbacks of payments.
package payments

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io"
	"log"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	tolerance = 5 * time.Minute
	limit     = 65_536
)

// Payment is the part of a callback that a shop books.
type Payment struct {
	Reference string  `json:"external_reference"`
	Status    string  `json:"status"`
	Amount    float64 `json:"amount"`
	Currency  string  `json:"currency"`
}

func isGenuine(secret string, headers http.Header, body []byte) bool {
	id, stamp := headers.Get("webhook-id"), headers.Get("webhook-timestamp")
	seconds, err := strconv.ParseInt(stamp, 10, 64)
	if id == "" || err != nil || time.Since(time.Unix(seconds, 0)).Abs() > tolerance {
		return false
	}
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil || len(key) == 0 {
		return false
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(id + "." + stamp + "."))
	mac.Write(body)
	expected := []byte("v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	for _, each := range strings.Split(headers.Get("webhook-signature"), " ") {
		if hmac.Equal([]byte(each), expected) {
			return true
		}
	}
	return false
}

// Receiver calls onPayment once for each callback, however often it is delivered; again after an error.
func Receiver(secret string, onPayment func(Payment) error) http.Handler {
	// In production, keep the ids in your database, in the transaction that books the payment.
	seen := map[string]bool{}
	var lock sync.Mutex
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, limit))
		if err != nil {
			w.WriteHeader(http.StatusRequestEntityTooLarge)
			return
		}
		var payment Payment
		if !isGenuine(secret, r.Header, body) || json.Unmarshal(body, &payment) != nil {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		lock.Lock()
		defer lock.Unlock()
		if id := r.Header.Get("webhook-id"); !seen[id] {
			if err := onPayment(payment); err != nil {
				log.Print(err)
				w.WriteHeader(http.StatusInternalServerError)
				return
			}
			seen[id] = true
		}
		w.WriteHeader(http.StatusNoContent)
	})
}
