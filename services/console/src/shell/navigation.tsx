import { NavLink } from 'react-router';
import { navEntries } from './nav-entries.ts';
import classes from './shell.module.css';

export function Navigation({ onNavigate }: { onNavigate: () => void }) {
  return (
    <nav aria-label="Main">
      {navEntries.map(({ label, entries }) => (
        <div key={label} className={label === '' ? undefined : classes.group}>
          {label !== '' && <div className={classes.groupLabel}>{label}</div>}
          {entries.map(({ path, label: name, Icon }) => (
            <NavLink key={path} to={path} end={path === '/'} className={classes.entry} onClick={onNavigate}>
              <Icon />
              {name}
            </NavLink>
          ))}
        </div>
      ))}
    </nav>
  );
}
