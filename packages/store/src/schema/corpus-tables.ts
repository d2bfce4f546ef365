/** Tables of corpora. */
// eslint-disable-next-line @typescript-eslint/no-empty-object-type -- filled with the resource
export interface CorpusTables {}
