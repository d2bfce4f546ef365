import type { AdminClient, AdminSchemas } from '@calls/api-client/admin';
import { PlanLimits } from '@calls/api-contract/rest/plan-limits';
import { AppError } from '@calls/foundation/errors';

/** The arguments of a command, after its words. */
export interface CommandInput {
  readonly json: boolean;
  readonly operands: readonly string[];
  /** All values of each option. */
  readonly options: Readonly<Record<string, readonly string[]>>;
}

export interface Command {
  readonly words: readonly string[];
  readonly operands: readonly string[];
  readonly options: readonly string[];
  readonly usage: string;
  readonly summary: string;
  /** For lists: the columns of the printed table. */
  readonly columns?: readonly string[];
  /** Returns the result to print; undefined prints nothing. Rejects with an AppError that is printed. */
  run(client: AdminClient, given: CommandInput): Promise<unknown>;
}

const SETTINGS = ['name', 'plan', 'feature', 'limit', 'billing-email', 'payment-method'];
const SETTINGS_USAGE =
  '[--plan <plan>] [--feature <feature>]... [--limit <name>=<number>]... [--billing-email <address>] [--payment-method <text>]';
/** Names of the limits that may be absent, which means unlimited. */
export const UNLIMITED = Object.entries(PlanLimits.properties).flatMap(([name, schema]) =>
  'anyOf' in schema ? [name] : [],
);
const LIST_OPTIONS = ['count'];
const DEFAULT_COUNT = 100;
const MAX_PAGE_SIZE = 100;

export const COMMANDS: readonly Command[] = [
  {
    words: ['accounts', 'list'],
    operands: [],
    options: [...LIST_OPTIONS, 'status', 'search'],
    usage: 'accounts list [--status active|suspended|deleted] [--search <text>] [--count <number>]',
    summary: 'Lists the newest accounts.',
    columns: ['accountId', 'name', 'plan', 'status', 'activeCalls', 'created'],
    run: (client, { options }) => {
      const filters = present({ search: one(options, 'search'), status: one(options, 'status') as Status });
      return pages(options, async (page) =>
        resultOf(await client.GET('/admin/api/accounts', { params: { query: { ...filters, ...page } } })),
      );
    },
  },
  {
    words: ['accounts', 'create'],
    operands: [],
    options: SETTINGS,
    usage: `accounts create --name <name> ${SETTINGS_USAGE}`,
    summary: 'Creates an account. Continue with: accounts invite, or keys create.',
    run: async (client, { options }) => {
      const body = { ...settings(options), name: required(options, 'name') };
      return resultOf(await client.POST('/admin/api/accounts', { body }));
    },
  },
  {
    words: ['accounts', 'get'],
    operands: ['account id'],
    options: [],
    usage: 'accounts get <account id>',
    summary: 'Shows an account.',
    run: async (client, given) =>
      resultOf(await client.GET('/admin/api/accounts/{account_id}', ofAccount(given))),
  },
  {
    words: ['accounts', 'update'],
    operands: ['account id'],
    options: SETTINGS,
    usage: `accounts update <account id> [--name <name>] ${SETTINGS_USAGE}`,
    summary:
      'Changes an account. Features and limits are replaced as a whole; --feature none and --limit none remove all.',
    run: async (client, given) => {
      const request = { ...ofAccount(given), body: settings(given.options) };
      return resultOf(await client.PATCH('/admin/api/accounts/{account_id}', request));
    },
  },
  {
    words: ['accounts', 'suspend'],
    operands: ['account id'],
    options: ['reason'],
    usage: 'accounts suspend <account id> --reason <text>',
    summary: 'Rejects new calls of an account. Live calls continue.',
    run: async (client, given) => {
      const request = { ...ofAccount(given), body: { reason: required(given.options, 'reason') } };
      return resultOf(await client.POST('/admin/api/accounts/{account_id}/suspend', request));
    },
  },
  {
    words: ['accounts', 'resume'],
    operands: ['account id'],
    options: [],
    usage: 'accounts resume <account id>',
    summary: 'Ends a suspension.',
    run: async (client, given) =>
      resultOf(await client.POST('/admin/api/accounts/{account_id}/resume', ofAccount(given))),
  },
  {
    words: ['accounts', 'delete'],
    operands: ['account id'],
    options: ['confirm'],
    usage: 'accounts delete <account id> --confirm <account id>',
    summary:
      'Deletes an account without live calls: its keys, its credentials and its calls. This cannot be undone.',
    run: async (client, given) => {
      if (required(given.options, 'confirm') !== given.operands[0])
        throw new AppError('usage', '--confirm must repeat the id of the account.');
      const { error, response } = await client.DELETE('/admin/api/accounts/{account_id}', ofAccount(given));
      return resultOf({ ...(error && { error }), response });
    },
  },
  {
    words: ['accounts', 'invite'],
    operands: ['account id'],
    options: ['key-name', 'hours'],
    usage: 'accounts invite <account id> [--key-name <name>] [--hours <number>]',
    summary: 'Prints a link with which one user gets an API key and signs in. It works once, for 72 hours.',
    run: async (client, given) => {
      const hours = one(given.options, 'hours');
      const body = present({
        keyName: one(given.options, 'key-name'),
        expiresInSeconds: hours === undefined ? undefined : numberOf('--hours', hours) * 3600,
      });
      const request = { ...ofAccount(given), body };
      return resultOf(await client.POST('/admin/api/accounts/{account_id}/invitation', request));
    },
  },
  {
    words: ['accounts', 'withdraw-invitation'],
    operands: ['account id'],
    options: [],
    usage: 'accounts withdraw-invitation <account id>',
    summary: 'Ends the invitation of an account, so that its link no longer works.',
    run: async (client, given) => {
      const path = '/admin/api/accounts/{account_id}/invitation';
      const { error, response } = await client.DELETE(path, ofAccount(given));
      return resultOf({ ...(error && { error }), response });
    },
  },
  {
    words: ['accounts', 'usage'],
    operands: ['account id'],
    options: ['from', 'to'],
    usage: 'accounts usage <account id> [--from <day>] [--to <day>]',
    summary: 'Shows billed minutes by day; by default of the last 30 days.',
    columns: ['date', 'minutes', 'sipMinutes'],
    run: async (client, given) => {
      const { params } = ofAccount(given);
      const query = present({ fromDate: one(given.options, 'from'), toDate: one(given.options, 'to') });
      const request = { params: { ...params, query } };
      return resultOf(await client.GET('/admin/api/accounts/{account_id}/usage', request)).dailyUsage;
    },
  },
  {
    words: ['keys', 'list'],
    operands: ['account id'],
    options: LIST_OPTIONS,
    usage: 'keys list <account id> [--count <number>]',
    summary: 'Lists the API keys of an account, without their secrets.',
    columns: ['prefix', 'name', 'created', 'expiryDate', 'revoked'],
    run: (client, given) => {
      const { params } = ofAccount(given);
      return pages(given.options, async (query) =>
        resultOf(
          await client.GET('/admin/api/accounts/{account_id}/api_keys', { params: { ...params, query } }),
        ),
      );
    },
  },
  {
    words: ['keys', 'create'],
    operands: ['account id'],
    options: ['name', 'expires'],
    usage: 'keys create <account id> --name <name> [--expires <time>]',
    summary: 'Creates an API key. Prints its secret, which is not shown again.',
    run: async (client, given) => {
      const expiryDate = one(given.options, 'expires') ?? null;
      const body = { name: required(given.options, 'name'), expiryDate };
      const request = { ...ofAccount(given), body };
      return resultOf(await client.POST('/admin/api/accounts/{account_id}/api_keys', request));
    },
  },
  {
    words: ['keys', 'rotate'],
    operands: ['account id', 'prefix'],
    options: ['grace'],
    usage: 'keys rotate <account id> <prefix> [--grace <seconds>]',
    summary: 'Creates a key like the old one. The old key stops working now, or after the grace time.',
    run: async (client, given) => {
      const body = { graceSeconds: numberOf('--grace', one(given.options, 'grace') ?? '0') };
      const path = '/admin/api/accounts/{account_id}/api_keys/{api_key_prefix}/rotate';
      return resultOf(await client.POST(path, { ...ofKey(given), body }));
    },
  },
  {
    words: ['keys', 'revoke'],
    operands: ['account id', 'prefix'],
    options: [],
    usage: 'keys revoke <account id> <prefix>',
    summary: 'Revokes an API key permanently.',
    run: async (client, given) => {
      const path = '/admin/api/accounts/{account_id}/api_keys/{api_key_prefix}/revoke';
      return resultOf(await client.POST(path, ofKey(given)));
    },
  },
  {
    words: ['audit-log'],
    operands: [],
    options: [...LIST_OPTIONS, 'account'],
    usage: 'audit-log [--account <account id>] [--count <number>]',
    summary: 'Shows what administrators did, newest first.',
    columns: ['time', 'administrator', 'action', 'accountId', 'apiKeyPrefix', 'changes', 'sourceAddress'],
    run: (client, { options }) => {
      const filters = present({ accountId: one(options, 'account') });
      return pages(options, async (page) =>
        resultOf(await client.GET('/admin/api/audit_log', { params: { query: { ...filters, ...page } } })),
      );
    },
  },
];

type Status = AdminSchemas['AdminAccount']['status'] | undefined;
type Settings = AdminSchemas['PatchedAdminAccount'];
type Options = CommandInput['options'];

function settings(options: Options): Settings {
  const { feature, limit } = options;
  // The server validates the names of plans, features and limits.
  return present({
    name: one(options, 'name'),
    plan: one(options, 'plan') as Settings['plan'],
    features: isNone(feature) ? [] : (feature as Settings['features']),
    limits: isNone(limit) ? {} : limit && Object.fromEntries(limit.map(limitOf)),
    billingEmail: one(options, 'billing-email'),
    paymentMethod: one(options, 'payment-method'),
  });
}

function isNone(values: readonly string[] | undefined): boolean {
  return values?.length === 1 && values[0] === 'none';
}

type Present<T> = { [Name in keyof T]?: Exclude<T[Name], undefined> };

/** Removes the fields that are undefined. */
function present<T extends object>(fields: T): Present<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Present<T>;
}

function limitOf(text: string): [string, number | null] {
  const [name = '', value = ''] = text.split('=');
  if (value !== 'none') return [name, numberOf(`--limit ${name}`, value)];
  if (UNLIMITED.includes(name)) return [name, null];
  throw new AppError('usage', `--limit ${name} must not be none; only ${UNLIMITED.join(', ')} may be.`);
}

function numberOf(what: string, text: string): number {
  if (/^\d{1,9}$/u.test(text)) return Number(text);
  throw new AppError('usage', `${what} must be a whole number of 1 to 9 digits, not "${text}".`);
}

function one(options: Options, name: string): string | undefined {
  return options[name]?.at(-1);
}

/** The last value of an option. */
export function required(options: Options, name: string): string {
  const value = one(options, name);
  if (value === undefined) throw new AppError('usage', `--${name} is required.`);
  return value;
}

function ofAccount({ operands: [accountId = ''] }: CommandInput) {
  return { params: { path: { account_id: accountId } } };
}

function ofKey({ operands: [accountId = '', prefix = ''] }: CommandInput) {
  return { params: { path: { account_id: accountId, api_key_prefix: prefix } } };
}

/** Up to `--count` items of a list. */
async function pages<Item>(
  options: Options,
  fetchPage: (page: {
    cursor?: string;
    pageSize: number;
  }) => Promise<{ results: Item[]; next: string | null }>,
): Promise<Item[]> {
  const count = numberOf('--count', one(options, 'count') ?? String(DEFAULT_COUNT));
  const items: Item[] = [];
  let cursor: string | undefined;
  do {
    const pageSize = Math.min(count - items.length, MAX_PAGE_SIZE);
    const page = await fetchPage({ pageSize, ...(cursor !== undefined && { cursor }) });
    items.push(...page.results);
    cursor = page.next === null ? undefined : (new URL(page.next).searchParams.get('cursor') ?? undefined);
  } while (cursor !== undefined && items.length < count);
  return items;
}

interface ApiResult<T> {
  data?: T;
  error?: AdminSchemas['Error'];
  response: Response;
}

function resultOf<T>({ data, error, response }: ApiResult<T>): T {
  if (response.ok) return data as T;
  const lines = (error?.errors ?? []).map(({ path, message }) => `  ${path}: ${message}`);
  const detail = error?.detail ?? `The admin API responded with the status ${response.status}.`;
  throw new AppError(error?.code ?? 'failed', [detail, ...lines].join('\n'));
}
