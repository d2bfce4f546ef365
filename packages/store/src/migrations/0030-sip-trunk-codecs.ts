import { statements } from './statements.ts';

/** The codecs of a trunk, best first; empty: the default ones. */
export const sipTrunkCodecs = statements(
  "alter table sip_trunks add column codecs text[] not null default '{}'",
);
