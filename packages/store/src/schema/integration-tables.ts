/** Tables of webhooks, provider keys, telephony and SIP. */
// eslint-disable-next-line @typescript-eslint/no-empty-object-type -- filled with the resource
export interface IntegrationTables {}
