import * as pages from './pages.ts'
import * as paying from './paying.ts'
import * as books from './books.ts'
import * as receiver from './receiver.ts'
import * as results from './results.ts'
import * as service from './service.ts'
import * as signature from './signature.ts'

/** Everything that a shop can do with care or without: each a function, so that one can be another one. */
export const careful = {
  // What it asks.
  newOrder: pages.newOrder,
  requestOf: paying.requestOf,
  nameOf: paying.nameOf,
  phoneOf: paying.phoneOf,
  findProvider: paying.findProvider,
  begin: paying.begin,
  accepted: paying.accepted,
  refused: paying.refused,
  isKnown: paying.isKnown,
  write: service.write,
  pauseBefore: service.pauseBefore,
  watch: paying.watch,
  untilNextLook: paying.untilNextLook,
  isOver: paying.isOver,
  // What it is told.
  receiveCallback: receiver.receiveCallback,
  isMethod: receiver.isMethod,
  isJson: receiver.isJson,
  readBody: receiver.readBody,
  genuine: receiver.genuine,
  isFresh: signature.isFresh,
  isSignedWith: signature.isSignedWith,
  orderOf: receiver.orderOf,
  refuse: receiver.refuse,
  parse: receiver.parse,
  take: receiver.take,
  // What it believes, and shows.
  showOrder: pages.showOrder,
  applyResult: results.applyResult,
  nextStatus: results.nextStatus,
  isNews: results.isNews,
  noteReason: results.noteReason,
  reconcile: books.reconcile,
}

export type Habits = typeof careful
