/** Close codes of refused joins (docs/reference/joining.md). */
export const CLOSE_CODES = {
  bad_token: 4401,
  unknown_call: 4404,
  already_joined: 4409,
  no_capacity: 4503,
  /** Of one call. */
  too_many_joins: 4503,
} as const;
