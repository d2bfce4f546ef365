/** Tables of what calls leave behind besides the first tables. */
// eslint-disable-next-line @typescript-eslint/no-empty-object-type -- filled with the resource
export interface CallTables {}
