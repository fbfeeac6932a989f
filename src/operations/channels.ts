import { listChannels } from '../domain/channels.ts'
import type { Pagination } from '../generated/service/schemas.ts'
import type { ServiceHandlers } from '../http/handler.ts'
import { channelView } from './views.ts'

export const channels: Pick<ServiceHandlers, 'listPaymentChannels'> = {
  listPaymentChannels: {
    read(look, { caller, request }) {
      const { page, per } = request.query
      const found = listChannels(look, caller, request.query)
      return {
        status: 200,
        body: {
          payment_channels: found.channels.map(channelView),
          pagination: pagination(found.count, page, per),
        },
      }
    },
  },
}

/** Specification 2.5; a page out of range has no neighbours but the last page before it. */
function pagination(count: number, page: number, per: number): Pagination {
  const num_pages = Math.ceil(count / per)
  return {
    count,
    page,
    per,
    num_pages,
    next_page: page < num_pages ? page + 1 : null,
    prev_page: page > 1 ? Math.min(page - 1, Math.max(num_pages, 1)) : null,
  }
}
