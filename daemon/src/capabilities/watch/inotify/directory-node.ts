import type { ByteName } from '../../../core/files/byte-name.ts';
import type { InotifyListener } from '../../../core/process/keeper/inotify-reader.ts';

/** Hears what happens in the directories of a tree. */
export interface TreeEvents {
  readonly happened: (node: DirectoryNode, mask: number, cookie: number, name: ByteName) => void;
}

/**
 * A directory that is watched. It knows its parent instead of its path: a directory that is renamed takes all below it
 * along without a further word.
 */
export class DirectoryNode implements InotifyListener {
  name: ByteName;
  parent: DirectoryNode | undefined;
  children: Map<ByteName, DirectoryNode> | undefined;
  /** The kernel's number; undefined where it is not watched (yet). */
  watch: number | undefined;
  /** Names whose creation was told a moment ago. */
  told: Set<ByteName> | undefined;
  readonly #tree: TreeEvents;

  constructor(tree: TreeEvents, name: ByteName, parent?: DirectoryNode) {
    this.#tree = tree;
    this.name = name;
    this.parent = parent;
  }

  /** Relative to the root of the tree, which is empty. */
  get path(): ByteName {
    if (this.parent === undefined) return '';
    return this.parent.pathOf(this.name);
  }

  pathOf(name: ByteName): ByteName {
    const path = this.path;
    return path === '' ? name : `${path}/${name}`;
  }

  addChild(name: ByteName): DirectoryNode {
    const node = new DirectoryNode(this.#tree, name, this);
    this.#take(node);
    return node;
  }

  moveTo(parent: DirectoryNode, name: ByteName): void {
    this.unlink();
    this.name = name;
    this.parent = parent;
    parent.#take(this);
  }

  /** Out of its tree; what lies below it goes with it. */
  unlink(): void {
    const siblings = this.parent?.children;
    if (siblings?.get(this.name) === this) siblings.delete(this.name);
    this.parent = undefined;
  }

  isIn(root: DirectoryNode): boolean {
    let node: DirectoryNode | undefined = this;
    while (node !== undefined && node !== root) node = node.parent;
    return node === root;
  }

  /** This one and all below it. */
  *all(): Iterable<DirectoryNode> {
    const stack: DirectoryNode[] = [this];
    for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
      yield node;
      if (node.children) stack.push(...node.children.values());
    }
  }

  onInotify(mask: number, cookie: number, name: ByteName): void {
    this.#tree.happened(this, mask, cookie, name);
  }

  #take(node: DirectoryNode): void {
    this.children ??= new Map();
    this.children.set(node.name, node);
  }
}
