/** Tables of tools and the tools of calls. */
// eslint-disable-next-line @typescript-eslint/no-empty-object-type -- filled with the resource
export interface ToolTables {}
