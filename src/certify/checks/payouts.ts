import { fail, pass, sharing } from './check.ts'
import { afterFaults, ERROR_AFTER, failures, LOST_RESPONSE, rejections, repeated, reversed } from './steps.ts'
import { after, day, differences } from './reconciliation.ts'

const PROBE = ['payout', 'probe'] as const

export const payouts = sharing({
  feature: 'withdraw',
  time: 'real',
  needs: PROBE,
  docs: 'payments.md#pay-out',
})({
  'PAY-1': {
    title: 'Never pays out twice after a lost response',
    tried: 'The sandbox accepts a payout and cuts the connection before responding.',
    expected: 'The shop queries the status or waits: there is one payout for the order.',
    impact: 'The recipient gets the money twice, and rarely returns it.',
    fix: 'After a lost response, query the status by your own reference. Send the payout again only if it is not found.',
    make: (run) => afterFaults(run, [LOST_RESPONSE]),
  },
  'PAY-2': {
    title: 'Never pays out twice after a server error',
    tried: 'The sandbox accepts a payout and responds with 500.',
    expected: 'The shop queries the status or waits: there is one payout for the order.',
    impact: 'A 500 does not mean that nothing happened. A client that resends pays twice.',
    fix: 'Treat a response of 500 or above as unknown: query the status by your own reference before you resend.',
    make: (run) => afterFaults(run, [ERROR_AFTER]),
  },
  'PAY-3': {
    title: 'Accepts the rejection of a payout',
    tried: 'A payout is rejected with 400 because the account does not exist.',
    expected: 'The payout is failed or flagged, and the request is not repeated unchanged.',
    impact: 'The recipient waits for money that never comes.',
    fix: 'Mark the payout as failed after 4xx (except 429), release its amount, and do not resend it unchanged.',
    make: (run) => rejections(run, { 'the account number is not valid': 'the account does not exist' }),
  },
  'PAY-4': {
    version: 2,
    title: 'Takes notice of a payout that is returned the next day',
    tried: 'A payout succeeds, and is reversed a day later.',
    expected: 'The payout is no longer paid: it is reversed or flagged.',
    impact: 'The money is back in the wallet, the recipient has nothing, and the books show a payment.',
    fix: 'Handle the status reversed of payouts: book the money back, and tell the recipient.',
    time: 'frozen',
    make: (run) => reversed(run, '1d', 'A payout succeeds, and is returned a day later.'),
  },
  'PAY-5': {
    title: 'Books the result of a payout once',
    tried: 'The callback of a payout is sent twice in sequence, with the same id.',
    expected: 'Both get a response from 200 to 299, and the payout is booked once.',
    impact: 'A payout that is booked twice makes the balance of the recipient wrong.',
    fix: 'Store the id of the callback (webhook-id) under a unique key, in the transaction that books its effect.',
    time: 'frozen',
    needs: ['payout', 'probe', 'counts'],
    make: repeated,
  },
  'PAY-6': {
    title: 'Waits when the balance is too low',
    tried: 'A payout is rejected with 400 because the wallet does not cover it.',
    expected: 'The payout is not paid, and the request is not repeated at once.',
    impact:
      'A client that repeats it uses up the rate limit, and pays late and twice once the wallet is funded.',
    fix: 'Keep the payout open or failed, alert the person who funds the wallet, and pay it again only on purpose.',
    make: (run) =>
      rejections(
        run,
        {
          'insufficient balance: the wallet does not cover the payout and its cost': 'the balance is too low',
        },
        true,
      ),
  },
  'PAY-7': {
    title: 'Treats every failure reason of a payout as a failure',
    tried:
      'Payouts are accepted and fail later: the account is in another name, does not exist or is closed.',
    expected: 'No payout is paid, and each is marked as failed.',
    impact: 'The response to a payout confirms that it was accepted, not that it arrived.',
    fix: 'Book a payout when its result is known. Decide by status; the reason is for people.',
    time: 'frozen',
    make: (run) => failures(run, ['name_mismatch', 'recipient_not_found', 'account_closed']),
  },
  'PAY-8': {
    level: 'recommended',
    version: 2,
    title: 'Finds its payouts in the daily statement',
    tried:
      'The shop compares its payouts with the correct statement of the day, and with one that lacks a payout.',
    expected: 'It finds no difference in the first, and one in the second.',
    impact: 'Payouts leave the wallet with a cost. Books without both never match the statement.',
    fix: 'Match payouts by your own reference, and book the cost as the statement does.',
    docs: 'control-api.md',
    time: 'alone',
    needs: ['payout', 'reconcile'],
    probe: true,
    async make(run) {
      const known = (await differences(run)).count
      const correct = await day(run)
      const found = correct.count - known
      if (found > 0)
        return fail(`It found ${found} differences in a correct statement with payouts.`, correct.exchange)
      // Books that leave out payouts match every correct statement.
      const lacking = await after(run, 'The statement lacks a payout.', {
        settle: { status: 'success' },
        statement: 'line-missing',
      })
      return lacking.count > correct.count
        ? pass('It found no difference, and detected a missing payout.', correct.exchange, lacking.exchange)
        : fail('It found no difference in a statement that lacks a payout.', lacking.exchange)
    },
  },
})
