/** Ids of the resources in examples. The contract tests replace them by ids of real ones. */
export const exampleIds = {
  account: '0198c9f0-5a3e-7c41-9d2b-6f1e8a7b3c01',
  agent: '0198c9f0-5a3e-7c41-9d2b-6f1e8a7b3c02',
  revision: '0198c9f0-5a3e-7c41-9d2b-6f1e8a7b3c03',
  call: '0198c9f0-5a3e-7c41-9d2b-6f1e8a7b3c04',
  stage: '0198c9f0-5a3e-7c41-9d2b-6f1e8a7b3c05',
  tool: '0198c9f0-5a3e-7c41-9d2b-6f1e8a7b3c06',
  callTool: '0198c9f0-5a3e-7c41-9d2b-6f1e8a7b3c07',
  voice: '0198c9f0-5a3e-7c41-9d2b-6f1e8a7b3c08',
  corpus: '0198c9f0-5a3e-7c41-9d2b-6f1e8a7b3c09',
  source: '0198c9f0-5a3e-7c41-9d2b-6f1e8a7b3c0a',
  document: '0198c9f0-5a3e-7c41-9d2b-6f1e8a7b3c0b',
  webhook: '0198c9f0-5a3e-7c41-9d2b-6f1e8a7b3c0c',
  delivery: '0198c9f0-5a3e-7c41-9d2b-6f1e8a7b3c0d',
  throttle: '0198c9f0-5a3e-7c41-9d2b-6f1e8a7b3c0e',
  batch: '0198c9f0-5a3e-7c41-9d2b-6f1e8a7b3c0f',
  registration: '0198c9f0-5a3e-7c41-9d2b-6f1e8a7b3c10',
  trunk: '0198c9f0-5a3e-7c41-9d2b-6f1e8a7b3c11',
  supervisor: '0198c9f0-5a3e-7c41-9d2b-6f1e8a7b3c12',
  testRun: '0198c9f0-5a3e-7c41-9d2b-6f1e8a7b3c13',
  invitation: '0198c9f0-5a3e-7c41-9d2b-6f1e8a7b3c14',
} as const;

/** The only page of a list with one item. */
export function pageOf(item: unknown): Record<string, unknown> {
  return { results: [item], next: null, previous: null, total: 1 };
}
