import { contentTexts, factsFunctions, MAX_SAID_LENGTH } from './0011-call-lists.ts';
import { statements } from './statements.ts';

/** Country codes with two digits. Those that start with 1 or 7 have one digit, all others have three. */
const TWO_DIGIT_CODES = '2[07]|3[0-469]|4[^2]|5[1-8]|6[0-6]|8[1246]|9[0-58]';

/** Calls are found by the phone numbers or SIP addresses of the two parties. */
export const callsByPhoneNumber = statements(
  // The digits of a phone number without leading zeros, and those without the country code if it has one. Null for texts
  // other than phone numbers and SIP addresses of phone numbers. The ignored characters include invisible ones, which
  // copied numbers have.
  `create function phone_numbers(address text) returns text[]
    language plpgsql immutable strict parallel safe as $$
    declare
      number text := regexp_replace(address,
        '^(sips?|tel):|[;@].*$|\\(0\\)|[\\s\\u00a0\\u200b-\\u202f()./-]', '', 'gi');
      digits text := ltrim(number, '+0');
      code_length integer := case when digits ~ '^[17]' then 1 when digits ~ '^(${TWO_DIGIT_CODES})' then 2 else 3 end;
      national text := ltrim(substr(digits, code_length + 1), '0');
    begin
      if digits !~ '^[0-9]{7,}$' then return null; end if;
      if number !~ '^([+]|00|[1-9][0-9]{10})' or length(national) < 6 then return array[digits]; end if;
      return array[digits, national];
    end $$`,
  // Phone numbers of the parties, or their SIP addresses and users. None for calls with zero data retention.
  `create function call_parties(retention_policy text, settings jsonb, context jsonb) returns text
    language plpgsql immutable parallel safe as $$
    declare
      name text;
      medium jsonb;
      party text;
      parties text;
    begin
      if retention_policy = 'zdr' then return null; end if;
      select key, value into name, medium from jsonb_each(settings->'medium');
      foreach party in array array[
        medium#>>'{outgoing,to}', medium#>>'{outgoing,from}', context->name->>'To', context->name->>'From',
        context->name#>>'{to,uri}', context->name#>>'{from,uri}'
      ] loop
        continue when party is null;
        parties := concat_ws(' ', parties, coalesce(
          array_to_string(phone_numbers(party), ' '),
          party || ' ' || regexp_replace(party, '^sips?:|@.*$', '', 'gi')
        ));
      end loop;
      return parties;
    end $$`,
  // All words, the last one by its prefix. Or the phone number that the text is, by its prefix. Null for text without words.
  `create or replace function call_search(account uuid, search text) returns tsquery
    language sql immutable strict parallel safe as $$
    select string_agg(query, ' | ')::tsquery from (
      select regexp_replace(nullif(plainto_tsquery('simple', search)::text, ''),
        '''((?:[^'']|'''')*)''', '''' || account::text || ' \\1''', 'g') || ':*'
      union all select format('''%s %s'':*', account, number) from unnest(phone_numbers(search)) number
    ) queries (query)
  $$`,
  ...factsFunctions(
    (row) =>
      `call_parties(${row}.retention_policy, ${row}.settings, ${row}.request_context), ${contentTexts(row)}`,
  ),
  // Live calls get theirs with their next change. Their rows stay unlocked.
  `update call_facts set said = left(concat_ws(' ', parties, said), ${MAX_SAID_LENGTH})
    from calls, call_parties(retention_policy, settings, request_context) parties
    where calls.call_id = call_facts.call_id and calls.ended_at is not null and parties is not null`,
);
