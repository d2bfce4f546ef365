/** Tables of agents, their revisions and scheduled batches. */
// eslint-disable-next-line @typescript-eslint/no-empty-object-type -- filled with the resource
export interface AgentTables {}
