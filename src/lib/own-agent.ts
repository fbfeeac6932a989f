/** How the command line and the tools for agents name themselves to the service, so that nobody takes them for an integration. */
export const OWN_AGENT = 'payments-sandbox'
