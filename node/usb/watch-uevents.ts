// Plugging noticed by watching folders: for hosts without a netlink socket. It sees that something changed, not what.
import { type FSWatcher, watch } from 'node:fs';
import { ANY_USB_DEVICE, type UeventHandlers, type UeventSource } from './uevent-source.ts';
import { watchedFolders } from './watched-folders.ts';

/**
 * Milliseconds after the last change at which it is told again: a device file comes before the interfaces and goes
 * before the device (device_add and device_del, drivers/base/core.c), and nothing is seen of what drivers do later.
 */
const AFTERMATH = [300, 2_000];
/** Milliseconds after which a folder that could not be watched is tried again. */
const RETRY = 1_000;

/** `root` is the host root that holds `sys` and `dev`. */
export function watchUevents(root: string): UeventSource {
  return new WatchUevents(root);
}

class WatchUevents implements UeventSource {
  readonly #root: string;
  readonly #watchers = new Map<string, { inode: bigint; watcher: FSWatcher }>();
  #aftermath: NodeJS.Timeout[] = [];
  #retry: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(root: string) {
    this.#root = root;
  }

  start(handlers: UeventHandlers): void {
    if (this.#closed) return;
    const wanted = watchedFolders(this.#root);
    for (const [path, { inode, watcher }] of this.#watchers) {
      if (wanted.get(path) === inode) continue;
      watcher.close();
      this.#watchers.delete(path);
    }
    for (const [path, inode] of wanted) {
      if (!this.#watchers.has(path)) this.#open(path, inode, handlers);
    }
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#retry);
    for (const timer of this.#aftermath) clearTimeout(timer);
    for (const { watcher } of this.#watchers.values()) watcher.close();
  }

  #open(path: string, inode: bigint, handlers: UeventHandlers): void {
    try {
      const watcher = watch(path);
      // `change` is about contents and rights; in /dev it comes with every write to a terminal.
      watcher.on('change', (kind) => kind === 'rename' && this.#changed(handlers));
      watcher.on('error', (error) => this.#failed(path, error, handlers));
      this.#watchers.set(path, { inode, watcher });
    } catch (error) {
      this.#failed(path, error, handlers);
    }
  }

  /** New folders are watched before the change is told, so that nothing in them is missed by both. */
  #changed(handlers: UeventHandlers): void {
    this.start(handlers);
    const tell = () =>
      handlers.onEvent({ action: 'change', devpath: ANY_USB_DEVICE, env: { SUBSYSTEM: 'usb' } });
    for (const timer of this.#aftermath) clearTimeout(timer);
    this.#aftermath = AFTERMATH.map((delay) => setTimeout(tell, delay));
    tell();
  }

  #failed(path: string, error: unknown, handlers: UeventHandlers): void {
    this.#watchers.get(path)?.watcher.close();
    this.#watchers.delete(path);
    clearTimeout(this.#retry);
    this.#retry = setTimeout(() => {
      this.start(handlers);
      handlers.onGap(`cannot watch ${path}: ${error instanceof Error ? error.message : String(error)}`);
    }, RETRY);
  }
}
