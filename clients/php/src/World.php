<?php
declare(strict_types=1);

namespace PaymentsSandbox;

/** An isolated copy of the service behind one API key. Sandbox::world() creates worlds. */
final class World extends Client
{
    public readonly string $id;
    /** The secret that signs the callbacks, whsec_…. */
    public readonly string $secret;
    /** A callback_url in the sandbox, which call('getInbox', …) reads. */
    public readonly string $inboxUrl;

    /** @param array<string, mixed> $made the response that created the world */
    public function __construct(string $url, array $made)
    {
        parent::__construct($url, $made['credentials']['username'], $made['credentials']['password']);
        $this->id = $made['world']['id'];
        $this->secret = $made['signing_secret'];
        $this->inboxUrl = $made['inbox_url'];
    }

    /**
     * Makes a payment: pay(['outcome' => 'payer-cancels']). By default 1000 by mobile money in Kenya, with the inbox of this world as
     * callback_url.
     *
     * @param array{outcome?: string, amount?: int|float, phone?: string, account_number?: string, rail?: string, country?: string,
     *     reference?: string, callback_url?: string, account_id?: int, operation?: string, fields?: array<string, mixed>} $options
     *     `fields` are added to the request body, or replaced in it
     * @throws SandboxError if the service rejects the payment, or the outcome does not exist
     */
    public function pay(array $options = []): Payment
    {
        $made = $this->ask('POST', '/sandbox/payments/prepare', $options)->value();
        $response = $this->ask($made['method'], $made['path'], $made['body'], $made['headers']);
        return new Payment($made['reference'], $made['outcome'], $made['operation'], $made['body'], (array) $response->value(),
            $response->status, $response->headers['sandbox-request-id'] ?? '');
    }

    /** Makes a payout, with the options of pay(). */
    public function payOut(array $options = []): Payment
    {
        return $this->pay(['direction' => 'payout'] + $options);
    }

    /**
     * Runs all pending jobs and moves the clock to each: transactions settle, callbacks and retries are sent.
     *
     * @return array<string, mixed> the jobs that ran
     */
    public function settle(): array
    {
        return $this->ask('POST', '/sandbox/settle')->value();
    }

    /**
     * Waits at most 4 s of real time for the newest delivered callback of a payment, and verifies its signature.
     *
     * @param Payment|string $payment or any identifier of it, such as your own reference
     * @throws SandboxError 504 if it does not arrive, with the reason
     */
    public function callback(Payment|string $payment): Callback
    {
        $reference = self::text('payment', 'a payment or its reference', $payment instanceof Payment ? $payment->reference : $payment);
        $query = http_build_query(['reference' => $reference, 'timeout' => '4s']);
        $found = $this->ask('GET', "/sandbox/callbacks/wait?$query")->value()['callbacks'];
        ['callback' => $view, 'body' => $body, 'attempts' => $attempts] = end($found);
        $headers = array_change_key_case(end($attempts)['request']['headers']);
        $statuses = array_map(fn($attempt) => $attempt['response']['status'] ?? 0, $attempts);
        $sent = ['headers' => $headers, 'body' => $body, 'url' => $view['url']];
        return new Callback($view['id'], $view['transaction'], $view['external_reference'], $view['url'], $view['state'],
            json_decode($body, true) ?? $body, $body, $headers, $this->ask('POST', '/sandbox/signatures/check', $sent)->value()['valid'],
            count(array_filter($statuses, fn($status) => $status >= 200 && $status < 300)), end($statuses));
    }

    /** Turns an outcome on for every matching request, also those of your application. */
    public function scenario(string $name): void
    {
        $this->ask('PATCH', '/sandbox/scenarios/' . rawurlencode(self::text('name', 'an outcome such as payer-cancels', $name)), ['on' => true]);
    }

    /**
     * Moves the clock forward by a duration such as 72h.
     *
     * @return array<string, mixed> the jobs that ran
     */
    public function advance(string $by): array
    {
        return $this->ask('POST', '/sandbox/clock/advance', ['by' => $by])->value();
    }

    /** @return array<string, mixed> a transaction with its states, callbacks and pending work */
    public function transaction(string $reference): array
    {
        return $this->ask('GET', '/sandbox/transactions/' . rawurlencode(self::text('reference', 'the reference of a payment', $reference)))->value();
    }

    /** Rejects an empty text, with which a request would have another meaning. */
    private static function text(string $name, string $accepted, string $text): string
    {
        return $text !== '' ? $text : throw new \InvalidArgumentException("$name must be $accepted, got an empty text");
    }

    /** Returns the history of the world as text, which failing tests print. */
    public function story(): string
    {
        $lines = ["payments sandbox, world $this->id"];
        $transactions = $this->ask('GET', '/sandbox/transactions?limit=5')->value()['transactions'];
        foreach ($transactions as $each) {
            $words = array_filter([$each['status'], $each['reason'], $each['scenario']]);
            $lines[] = "{$each['reference']} ({$each['external_reference']}): " . implode(', ', $words);
            foreach ($this->ask('GET', "/sandbox/transactions/{$each['reference']}/timeline")->value()['events'] as $event) {
                $lines[] = sprintf('  %s  %-9s %s', substr($event['at'], 11, 12), $event['kind'], $event['summary']);
            }
        }
        if ($transactions === []) {
            $lines[] = 'No request created a transaction in this world: does your application use its address and credentials?';
        }
        $lines[] = "Open $this->url/dashboard as $this->username / $this->password while the sandbox runs.";
        return implode("\n", $lines);
    }

    /** Deletes the world; a deleted world is not an error. */
    public function delete(): void
    {
        $this->request('DELETE', '/sandbox/worlds/current');
    }
}
