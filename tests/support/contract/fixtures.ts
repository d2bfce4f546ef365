import type { World } from './world.ts';

/** Bodies that an operation takes. */
export interface BodyFixture {
  /** With required fields only. */
  minimal: unknown;
  /** Together they have every field: what excludes each other stands in different ones. */
  maximal: readonly unknown[];
}

type Fixtures = Record<string, (world: World) => BodyFixture>;

const rules = [{ maxCalls: 100, windowSeconds: 86_400 }];
const secret = 'a secret of some length';

export const bodyFixtures: Fixtures = {
  createCallThrottle: (world) => both({ name: world.name(), rules }, { name: world.name(), rules }),
  replaceCallThrottle: (world) => both({ name: world.name(), rules }, { name: world.name(), rules }),
  updateCallThrottle: (world) => both({}, { name: world.name(), rules }),
  createApiKey: (world) =>
    both({ name: world.name() }, { name: world.name(), expiryDate: '2099-01-01T00:00:00Z' }),
  replaceApiKey: () => both({}, { revoked: true }),
  updateApiKey: () => both({}, { revoked: true }),
  createWebhook: () => both({ url: 'https://example.com/', events: ['call.ended'] }, webhook),
  replaceWebhook: () => both({ url: 'https://example.com/', events: ['call.ended'] }, webhook),
  updateWebhook: () => both({}, webhook),
};

const webhook = {
  agentId: null,
  url: 'https://example.com/hook?a=b',
  secrets: [secret],
  events: ['call.started', 'call.joined', 'call.ended', 'call.billed'],
};

function both(minimal: unknown, ...maximal: readonly unknown[]): BodyFixture {
  return { minimal, maximal };
}
