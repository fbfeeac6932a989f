package paymentssandbox

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Tolerance is the maximum age of a callback. An older one may be a replay.
const Tolerance = 5 * time.Minute

// Largest is the maximum size in bytes of a callback that Verified accepts.
const Largest = 1 << 20

// Verify checks the signature (profile standard) and the age of a callback. The body is the received bytes, before JSON parsing.
func Verify(secret string, headers http.Header, body []byte) error {
	return verifyAt(secret, headers, body, time.Now())
}

func verifyAt(secret string, headers http.Header, body []byte, now time.Time) error {
	id, timestamp, signature := headers.Get("webhook-id"), headers.Get("webhook-timestamp"), headers.Get("webhook-signature")
	if id == "" || timestamp == "" || signature == "" {
		return errors.New("the callback is not signed: it needs webhook-id, webhook-timestamp and webhook-signature")
	}
	seconds, err := strconv.ParseUint(timestamp, 10, 40)
	if err != nil {
		return fmt.Errorf("webhook-timestamp must be seconds, such as 1767225600, got %q", timestamp)
	}
	if age := time.Duration(now.Unix()-int64(seconds)) * time.Second; age.Abs() > Tolerance {
		return fmt.Errorf("the callback was signed %.0f s ago: at most %.0f s are accepted", age.Seconds(), Tolerance.Seconds())
	}
	own, err := sign(secret, id, timestamp, body)
	if err != nil {
		return err
	}
	expected := []byte(own)
	// During a rotation there are several signatures, separated by spaces.
	for _, sent := range strings.Split(signature, " ") {
		if hmac.Equal(expected, []byte(sent)) {
			return nil
		}
	}
	return errors.New("no signature is valid for these bytes and this secret: compare the secret, and use the raw body")
}

// Sign returns the signature headers of a callback.
func Sign(secret, id string, at time.Time, body []byte) (http.Header, error) {
	timestamp := strconv.FormatInt(at.Unix(), 10)
	signature, err := sign(secret, id, timestamp, body)
	headers := http.Header{}
	headers.Set("webhook-id", id)
	headers.Set("webhook-timestamp", timestamp)
	headers.Set("webhook-signature", signature)
	return headers, err
}

func sign(secret, id, timestamp string, body []byte) (string, error) {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	// Everyone can sign with an empty key.
	if err != nil || len(key) == 0 {
		return "", errors.New("the secret must be whsec_ and base64, as world.Secret is")
	}
	own := hmac.New(sha256.New, key)
	fmt.Fprintf(own, "%s.%s.%s", id, timestamp, body)
	return "v1," + base64.StdEncoding.EncodeToString(own.Sum(nil)), nil
}

// Verified responds with 401 to callbacks whose signature is invalid, and passes the others to the handler.
func Verified(secret string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, Largest))
		if err == nil {
			err = Verify(secret, r.Header, body)
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusUnauthorized)
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		next.ServeHTTP(w, r)
	})
}
