import { statements } from './statements.ts';

export const voices = statements(
  // The voices visible to an account: its own and the public ones.
  `drop index voices_in_order`,
  `create index voices_by_account on voices (account_id, position, voice_id) where withdrawn_at is null`,

  `create table tts_api_keys (
    account_id uuid not null references accounts,
    provider text not null,
    prefix text not null,
    sealed_key text not null,
    set_at timestamptz(3) not null,
    primary key (account_id, provider)
  )`,
);
