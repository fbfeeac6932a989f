import { listChannels } from '../domain/channels.ts'
import type { ServiceHandlers } from '../../http/handler.ts'
import { pagination } from './pagination.ts'
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
