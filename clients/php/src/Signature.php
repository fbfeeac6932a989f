<?php
declare(strict_types=1);

namespace PaymentsSandbox;

/** Signatures of callbacks in the profile standard (Standard Webhooks). */
final class Signature
{
    /** Maximum age of a callback in seconds. An older one may be a replay. */
    public const TOLERANCE = 300;

    /**
     * Checks the signature and the age of a callback.
     *
     * @param array<string, string|list<string>> $headers such as getallheaders(), or lists of values as in PSR-7; names in any case
     * @param string $body the received bytes, before JSON parsing
     * @throws BadSignature with the reason
     */
    public static function verify(string $secret, array $headers, string $body, ?int $now = null): void
    {
        $headers = array_map(
            static fn ($value) => is_array($value) ? implode(' ', $value) : (string) $value,
            array_change_key_case($headers),
        );
        foreach (['webhook-id', 'webhook-timestamp', 'webhook-signature'] as $name) {
            if (($headers[$name] ?? '') === '') {
                throw new BadSignature("the callback is not signed: it has no header $name");
            }
        }
        $timestamp = $headers['webhook-timestamp'];
        if (!preg_match('/^\d{1,12}$/D', $timestamp)) {
            throw new BadSignature("webhook-timestamp must be seconds, such as 1767225600, got $timestamp");
        }
        $age = ($now ?? time()) - (int) $timestamp;
        if (abs($age) > self::TOLERANCE) {
            throw new BadSignature("the callback was signed $age s ago: at most " . self::TOLERANCE . ' s are accepted');
        }
        $expected = self::of($secret, $headers['webhook-id'], $timestamp, $body);
        // During a rotation there are several signatures, separated by spaces.
        foreach (explode(' ', $headers['webhook-signature']) as $sent) {
            if (hash_equals($expected, $sent)) {
                return;
            }
        }
        throw new BadSignature('no signature is valid for these bytes and this secret: compare the secret, and use the raw body');
    }

    /** @return array<string, string> the signature headers of a callback */
    public static function sign(string $secret, string $id, int $timestamp, string $body): array
    {
        $signature = self::of($secret, $id, (string) $timestamp, $body);
        return ['webhook-id' => $id, 'webhook-timestamp' => (string) $timestamp, 'webhook-signature' => $signature];
    }

    private static function of(string $secret, string $id, string $timestamp, string $body): string
    {
        $key = base64_decode(preg_replace('/^whsec_/', '', $secret), true);
        // Everyone can sign with an empty key.
        if ($key === false || $key === '') {
            throw new BadSignature('the secret must be whsec_ and base64, as $world->secret is');
        }
        return 'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$body", $key, true));
    }
}
