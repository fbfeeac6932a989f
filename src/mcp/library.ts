/** Of the protocol's library what is used, apart from all else, so that the package has it as small as can be. */
export { createMcpHandler, ResourceNotFoundError, Server } from '@modelcontextprotocol/server'
