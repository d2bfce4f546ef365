import { statements } from './statements.ts';

export const telephonyCalls = statements(
  `alter table calls add column dialled_at timestamptz, add column transfer_to text`,
);
