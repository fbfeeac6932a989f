/** The user agent of the command line and the tools for agents, which distinguishes them from integrations. */
export const OWN_AGENT = 'payments-sandbox'
