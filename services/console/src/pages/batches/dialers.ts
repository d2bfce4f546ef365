import { dataOf, api, asProblem, type Schemas } from '../../api/client.ts';
import { PROVIDERS } from '../phone/providers.ts';

type Medium = Schemas['CallMedium'];

/** A connected telephony provider or a SIP trunk, which can place phone calls. */
export interface Dialer {
  readonly value: string;
  readonly label: string;
  /** Whether the user must enter the calling number. Trunks have their own. */
  readonly needsFrom: boolean;
  readonly mediumOf: (to: string, from: string) => Medium;
}

const MAX_TRUNKS = 100;

export async function loadDialers(): Promise<Dialer[]> {
  const [configs, trunks] = await Promise.all([
    dataOf(api.GET('/api/accounts/me/telephony_config')),
    dataOf(api.GET('/api/sip/trunks', { params: { query: { pageSize: MAX_TRUNKS } } })).catch(withoutFeature),
  ]);
  return [
    ...PROVIDERS.filter(({ key }) => configs[key]).map(({ key, name }): Dialer => ({
      value: key,
      label: name,
      needsFrom: true,
      mediumOf: (to, from) => ({ [key]: { outgoing: { to, from } } }),
    })),
    ...(trunks?.results ?? []).map(({ trunkId, name }): Dialer => ({
      value: trunkId,
      label: `SIP trunk ${name}`,
      needsFrom: false,
      mediumOf: (to, from) => ({ sip: { outgoing: { to, trunkId, ...(from !== '' && { from }) } } }),
    })),
  ];
}

/** Accounts without the feature have no trunks. */
function withoutFeature(thrown: unknown): null {
  if (asProblem(thrown).status === 403) return null;
  throw thrown;
}
