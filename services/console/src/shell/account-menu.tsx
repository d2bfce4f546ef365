import { Text, useMantineColorScheme, type MantineColorScheme } from '@mantine/core';
import {
  BookOpenIcon,
  CheckIcon,
  ChevronDownIcon,
  MoonIcon,
  MonitorIcon,
  LogOutIcon,
  SunIcon,
  UserIcon,
} from 'lucide-react';
import { Link } from 'react-router';
import type { Session } from '../session/session.ts';
import { useSignOut } from '../session/session.ts';
import classes from './shell.module.css';

const SCHEMES: readonly { scheme: MantineColorScheme; label: string; Icon: typeof SunIcon }[] = [
  { scheme: 'auto', label: 'System', Icon: MonitorIcon },
  { scheme: 'light', label: 'Light', Icon: SunIcon },
  { scheme: 'dark', label: 'Dark', Icon: MoonIcon },
];
const ID = 'account-menu';

/** Uses a popover of the browser: Mantine's menu would be a tenth of the first script. */
export function AccountMenu({ session, onNavigate }: { session: Session; onNavigate: () => void }) {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const signOut = useSignOut();
  return (
    <>
      <button type="button" popoverTarget={ID} className={classes.entry} aria-haspopup="dialog">
        <span className={classes.account}>
          <Text component="span" display="block" truncate fz="sm" fw={550}>
            {session.account.name || 'Account'}
          </Text>
          <Text component="span" display="block" truncate fz="xs" c="dimmed" className="mono">
            {session.key.role === 'viewer' ? 'Viewer: read only' : `${session.key.prefix}…`}
          </Text>
        </span>
        <ChevronDownIcon size={16} />
      </button>
      <div popover="auto" id={ID} role="dialog" aria-label="Account" className={classes.menu}>
        <div className={classes.groupLabel} id={`${ID}-appearance`}>
          Appearance
        </div>
        <div role="group" aria-labelledby={`${ID}-appearance`}>
          {SCHEMES.map(({ scheme, label, Icon }) => (
            <button
              key={scheme}
              type="button"
              className={classes.entry}
              aria-pressed={scheme === colorScheme}
              onClick={() => setColorScheme(scheme)}
            >
              <Icon size={16} />
              {label}
              {scheme === colorScheme && <CheckIcon size={16} className={classes.end} />}
            </button>
          ))}
        </div>
        <hr className={classes.line} />
        <Link
          className={classes.entry}
          to="/account"
          onClick={({ currentTarget }) => {
            currentTarget.closest<HTMLElement>('[popover]')?.hidePopover();
            onNavigate();
          }}
        >
          <UserIcon size={16} />
          Account
        </Link>
        <a className={classes.entry} href="/docs/" target="_blank" rel="noreferrer">
          <BookOpenIcon size={16} />
          Documentation
        </a>
        <button type="button" className={classes.entry} onClick={() => signOut.mutate()}>
          <LogOutIcon size={16} />
          Sign out
        </button>
      </div>
    </>
  );
}
