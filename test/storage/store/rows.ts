import type { JobRow, TransactionRow } from '../../../src/storage/store/payment-rows.ts'
import type { ChannelRow } from '../../../src/storage/store/rows.ts'

export function transaction(id: number, fields: Partial<TransactionRow> = {}): TransactionRow {
  return {
    id,
    operation: 'createCollection',
    direction: 'payin',
    rail: 'momo',
    status: 'QUEUED',
    reason: null,
    account_id: 63,
    channel_id: null,
    is_offline: false,
    amount: 10_000,
    cost: 462,
    amount_to_save: 0,
    currency: 'KES',
    country: 'KE',
    provider: 'm-pesa',
    party: '254712345678',
    reference: `UFD${String(id).padStart(9, '0')}.iI`,
    checkout_request_id: `c${id}`,
    external_reference: '',
    provider_reference: '',
    callback_url: 'http://127.0.0.1:9/callback',
    redirect_url: '',
    plan: null,
    created_at: 1_700_000_000_000 + id,
    settled_at: null,
    ...fields,
  }
}

export function channel(id: number, active_at: number, account_id = 63): ChannelRow {
  return {
    id,
    account_id,
    transaction_type: 'CustomerPayBillOnline',
    channel_type: 'paybill',
    short_code: String(id),
    account_number: '',
    description: '',
    is_active: true,
    created_at: 0,
    updated_at: 0,
    active_at,
  }
}

export function job(id: number, due_at: number): JobRow {
  return { id, due_at, task: { kind: 'callback', callback_id: id } }
}

export function idsOf(rows: readonly { readonly id: number }[]): number[] {
  return rows.map((row) => row.id)
}
