import type { CheckResult } from '../certification.ts'
import type { CheckId } from '../checks.ts'

/** What it means when a mandatory check fails, for who knows the shop and not its code. It holds whichever way it failed. */
const faults: { readonly [Id in CheckId]?: string } = {
  'RCV-1': 'Payments that were made are not booked: good callbacks are refused.',
  'RCV-2': 'Anybody can have an order marked as paid: no signature is needed.',
  'RCV-3': 'Anybody can have an order marked as paid: a forged signature will do.',
  'RCV-4': 'A callback can be changed on its way, such as the amount that was paid.',
  'RCV-5': 'Old callbacks are taken for new ones.',
  'RCV-7': 'A malformed signature is taken, or makes the receiver fall over.',
  'RCV-8': 'Good callbacks are refused for the form of their headers.',
  'RCV-9': 'The signing secret cannot be changed safely.',
  'RCV-10': 'An order may be delivered twice: a callback that comes twice is not counted once.',
  'RCV-11': 'An order may be delivered many times: copies of its callback are not counted once.',
  'RCV-13': 'An order may stay paid although its payment was taken back.',
  'RCV-14': 'Fast payments get lost: their callback comes before the answer.',
  'RCV-15': 'A payment that succeeds late is not booked.',
  'RCV-16': 'An order stays paid although its payment was reversed.',
  'RCV-17': 'Goods are given for too little money, or for another currency.',
  'RCV-19': 'A callback for an unknown order is not borne.',
  'RCV-20': 'What the receiver answers cannot be believed.',
  'RCV-21': 'The receiver answers too late.',
  'CLI-1': 'Payments cannot be told apart: they have no reference of their own.',
  'CLI-2': 'A lost answer is not borne: an order may be charged twice.',
  'CLI-3': 'An error of the network is not borne: an order may be charged twice.',
  'CLI-4': 'The shop does not wait when the service asks it to.',
  'CLI-6': 'A payment whose callback is lost is not found out about.',
  'CLI-7': 'Payments are looked up too often, or without end.',
  'CLI-9': 'A refused payment is not taken for refused.',
  'CLI-10': 'A failed payment is not taken for failed, for some reasons of failure.',
  'CLI-11': 'A payment that is stuck is taken for paid or for failed.',
  'CLI-13': 'A success that was delivered is undone by an older look-up.',
  'SEC-1': 'Credentials are sent where others can read them.',
  'SEC-2': 'Callbacks do not travel by a connection that is safe.',
  'SEC-3': 'A secret is sent where it does not belong.',
}

/** In plain words what is wrong; undefined of what did not fail. */
export const faultOf = ({ id, verdict, expectation }: CheckResult): string | undefined =>
  verdict === 'fail' && expectation === null ? faults[id] : undefined
