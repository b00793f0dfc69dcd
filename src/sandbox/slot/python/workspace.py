"""The working folder: given files, files to return, and files to keep for a session whose interpreter ends."""

import base64
import io
import os
import stat
import sys
import time

HOME = '/home/user'
OUT = HOME + '/out'
MOST_FILES = 1_000
MOST_FIGURES = 20
PICTURES = ('.png', '.jpg', '.jpeg', '.svg', '.webp', '.gif', '.pdf')

# Status of the files in the working folder by path, as of the last report.
_known = {}


def make_ready():
    """The folders may have been removed or shut by earlier code."""
    for folder in (HOME, OUT):
        if not os.path.lexists(folder):
            os.makedirs(folder)
        elif os.path.isdir(folder):
            os.chmod(folder, 0o755)
    os.chdir(HOME)


def write_inputs(files):
    for file in files:
        name = file['name']
        try:
            _write(f'{HOME}/{name}', base64.b64decode(file['base64']))
        except OSError as error:
            raise OSError(f'The file {name} could not be written: {error.strerror}. Nothing was run.') from None


def restore(files):
    """Files of an interpreter that ended; one that cannot be written is left out."""
    # So that a change in the same tick of the clock is noticed.
    before = time.time() - 1
    for file in files:
        path = f'{HOME}/{file["name"]}'
        try:
            _write(path, base64.b64decode(file['base64']))
            os.utime(path, (before, before))
        except OSError:
            pass
    if files:
        _known.update(_statuses(HOME))


def _write(path, data):
    folder = os.path.dirname(path)
    os.makedirs(folder, exist_ok=True)
    if os.path.isfile(path) and not os.access(path, os.W_OK):
        os.chmod(path, 0o644)
    if not os.access(folder, os.W_OK | os.X_OK):
        os.chmod(folder, 0o755)
    with open(path, 'wb') as file:
        file.write(data)


def _statuses(root):
    found = {}
    for folder, folders, names in os.walk(root):
        for name in names:
            path = os.path.join(folder, name)
            try:
                status = os.stat(path)
            except OSError:
                continue
            if stat.S_ISREG(status.st_mode):
                found[path] = (status.st_mtime_ns, status.st_size)
            if len(found) >= MOST_FILES:
                return found
    return found


def files_in_out():
    return _statuses(OUT)


def collect_files(before, limits):
    """Files below out/ that are new or changed, as far as the limits go; the others by name."""
    files, skipped, room = [], [], limits['file_bytes']
    for path, status in sorted(files_in_out().items()):
        if before.get(path) == status:
            continue
        name, size = path[len(OUT) + 1 :], status[1]
        if len(files) >= limits['files'] or size > room:
            reason = 'too many files' if len(files) >= limits['files'] else 'too large'
            skipped.append({'name': _shown(name), 'bytes': size, 'reason': reason})
            continue
        data = _read(path)
        if data is None:
            skipped.append({'name': _shown(name), 'bytes': size, 'reason': 'cannot be read'})
            continue
        room -= len(data)
        files.append({'name': _shown(name), 'base64': base64.b64encode(data).decode()})
    return files, skipped[:20]


def known():
    return [*_known]


def changes(most_bytes, is_known):
    """What has changed in the working folder since the last report, or all of it if that is not known any more.

    Files beyond the limit are given by name only.
    """
    if not is_known:
        _known.clear()
    statuses = _statuses(HOME)
    kept, room = set(), most_bytes
    for path, (_, size) in sorted(statuses.items(), key=lambda item: item[1][1]):
        if size <= room and len(path) < len(HOME) + 300 and _shown(path) == path:
            room -= size
            kept.add(path)
    changed = []
    for path in [*kept]:
        if _known.get(path) == statuses[path]:
            continue
        data = _read(path)
        if data is None:
            kept.remove(path)
        else:
            changed.append({'name': path[len(HOME) + 1 :], 'base64': base64.b64encode(data).decode()})
    removed = [path for path in _known if path not in kept]
    _known.clear()
    _known.update((path, statuses[path]) for path in kept)
    return {
        'changed': changed,
        'removed': _names(removed),
        'too_large': _names(path for path in statuses if path not in kept),
    }


def keep_nothing(known):
    """Instead of `changes`; `known` are the paths that were known before it."""
    _known.clear()
    return {'changed': [], 'removed': _names(known), 'too_large': _names(_statuses(HOME))}


def _names(paths):
    return [_shown(path[len(HOME) + 1 :]) for path in paths]


def _read(path):
    try:
        with open(path, 'rb') as file:
            return file.read()
    except OSError:
        return None


def _shown(name):
    return name[:300].encode('utf-8', 'replace').decode('utf-8')


def save_figures(before):
    """Saves the open figures of matplotlib as figure-1.png and so on, and closes them, as a notebook does.

    Nothing is saved if the code has saved at least as many pictures itself.
    """
    plots = sys.modules.get('matplotlib.pyplot')
    numbers = plots.get_fignums()[:MOST_FIGURES] if plots else []
    if not numbers:
        return
    own = [path for path, status in files_in_out().items() if before.get(path) != status]
    if sum(path.lower().endswith(PICTURES) for path in own) < len(numbers):
        number = 0
        for figure in numbers:
            number += 1
            while os.path.lexists(f'{OUT}/figure-{number}.png'):
                number += 1
            picture = io.BytesIO()
            plots.figure(figure).savefig(picture, format='png', bbox_inches='tight')
            _write(f'{OUT}/figure-{number}.png', picture.getvalue())
    plots.close('all')
