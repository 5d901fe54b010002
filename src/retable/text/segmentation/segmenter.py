"""jieba's two segmentation modes without its dicts: identical words and parts, thirty times as fast.

Source     jieba 0.42.1: `Tokenizer.cut` with its hidden Markov model, and `posseg.POSTokenizer.cut`.
Ways       Dictionary words span the characters of a block; the likeliest way through it has the largest sum of log
           probabilities, ties going to the longest word first.
Runs       Adjacent single characters on that way go through a Viterbi search unless they form a word: four states
           (begin, middle, end, single: BMES) for plain words, 256 (these times a part of speech) for posseg.
Equality   Every sum is computed in jieba's order in float64; ties go to the larger state name, as in Python's `max`
           over tuples: the states are numbered by name, and >= takes the later one.
Shapes     `codes` int32 (character,): all texts concatenated. A word is a pair of positions in it.

All functions here are plain Python on arrays: `jieba_tables.py` compiles them when the first Chinese text arrives.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int32]
Places = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Bytes = npt.NDArray[np.uint8]

HAN, LETTER, DIGIT, POINT, MARK, PERCENT, HYPHEN, SPACE = 1, 2, 4, 8, 16, 32, 64, 128
IN_BLOCK = HAN | LETTER | DIGIT | POINT | MARK  # of posseg; plain segmentation adds PERCENT and HYPHEN
SMALLEST = -3.14e100  # jieba's logarithm of zero
BEGIN, END, MIDDLE, SINGLE = 0, 1, 2, 3  # in the order of their names: B, E, M, S
PLACES_OF_HASH = 1 << 20
ROOT = 0


class Dictionary(NamedTuple):
    """The words as a prefix tree.

    `first`: node of a character of the first plane, int32 (65536,), 0 for none. `keys`, `nodes`: an open-addressing
    hash from node * 2^21 + character to the next node, int64 and int32 (2^20,), key -1 if empty. Per node: `log`, log
    probability of the word that ends there (-inf for a mere prefix), float64; `is_word`; `part`.
    """

    first: Ints
    keys: Places
    nodes: Ints
    log: Floats
    is_word: npt.NDArray[np.bool_]
    part: Bytes
    log_of_none: float


class PlainModel(NamedTuple):
    """BMES: `start` (4,), `change` (4, 4) from, to; `emit` (4, 65536)."""

    start: Floats
    change: Floats
    emit: Floats


class PartsModel(NamedTuple):
    """BMES times a part of speech, S states in the order of their names.

    `start` (S,); `change` (S, S) from, to, -inf where there is none; `follows` uint64 (S, 4): bits of the states that
    may follow; `character` int32 (65536,): row of a character, -1 for none; the states of a row and the emissions of a
    row are at `offsets[row]` to `offsets[row + 1]` of their lists; `letter` BMES and `part` of every state.
    """

    start: Floats
    change: Floats
    follows: npt.NDArray[np.uint64]
    character: Ints
    state_offsets: Places
    states: Ints
    emit_offsets: Places
    emit_states: Ints
    emits: Floats
    letter: Bytes
    part: Bytes


class Words(NamedTuple):
    """Start and end positions of words, int64 (capacity,), their parts, uint8; the first `found[0]` are in use."""

    begin: Places
    end: Places
    part: Bytes
    found: Places


def add_words(codes: Ints, ends: Places, first: Ints, keys: Places, nodes: Ints, node_of_word: Ints) -> int:
    """Build the tree from `codes` of all words and `ends` of each; fill the three tables and return the node count."""
    count, begin = 1, 0
    for word in range(len(ends)):
        node = ROOT
        for place in range(begin, ends[word]):
            code = codes[place]
            if node == ROOT and code < 65536:
                if first[code] == 0:
                    first[code] = count
                    count += 1
                node = first[code]
            else:
                key = np.int64(node) << 21 | code
                slot = slot_of(keys, key)
                if keys[slot] < 0:
                    keys[slot] = key
                    nodes[slot] = count
                    count += 1
                node = nodes[slot]
        node_of_word[word] = node
        begin = ends[word]
    return count


def slot_of(keys: Places, key: Any) -> Any:
    """Return the position of a key, or the empty slot for it."""
    slot = ((key * np.int64(-7046029254386353131)) >> np.int64(40)) & np.int64(PLACES_OF_HASH - 1)
    while keys[slot] != key and keys[slot] >= 0:
        slot = (slot + 1) & np.int64(PLACES_OF_HASH - 1)
    return slot


def child(dictionary: Dictionary, node: int, code: int) -> Any:
    """Return the node of a prefix extended by one character; 0 for none."""
    if node == ROOT and code < 65536:
        return dictionary.first[code]
    slot = slot_of(dictionary.keys, np.int64(node) << 21 | code)
    return dictionary.nodes[slot] if dictionary.keys[slot] >= 0 else np.int32(0)


def kind(kinds: Bytes, code: int) -> Any:
    """Return the kind of a character, one of the bits above; 0 for anything else."""
    return kinds[code] if code < 65536 else np.uint8(0)


def best_way(codes: Ints, begin: int, end: int, dictionary: Dictionary, score: Floats, step: Places) -> None:
    """Find the likeliest way through a block (`Tokenizer.calc`): `step[i]` is the end of the word at begin + i."""
    score[end - begin] = 0.0
    for place in range(end - 1, begin - 1, -1):
        best, chosen = -np.inf, -1
        node = child(dictionary, ROOT, codes[place])
        last = place
        while node != ROOT:
            if dictionary.is_word[node]:
                found = dictionary.log[node] + score[last + 1 - begin]
                if found >= best:
                    best, chosen = found, last + 1
            last += 1
            if last == end:
                break
            node = child(dictionary, node, codes[last])
        if chosen < 0:
            best, chosen = dictionary.log_of_none + score[place + 1 - begin], place + 1
        score[place - begin] = best
        step[place - begin] = chosen


def is_word(codes: Ints, begin: int, end: int, dictionary: Dictionary) -> Any:
    """Return whether a word is in the dictionary."""
    node = ROOT
    for place in range(begin, end):
        node = child(dictionary, node, codes[place])
        if node == ROOT:
            return False
    return dictionary.is_word[node]


def add(words: Words, begin: int, end: int, part: int) -> None:
    """Append a word."""
    count = words.found[0]
    words.begin[count], words.end[count], words.part[count] = begin, end, part
    words.found[0] = count + 1


def plain_run(codes: Ints, begin: int, end: int, model: PlainModel, words: Words) -> None:
    """Cut a run of Chinese characters by BMES (`finalseg.__cut`)."""
    length = end - begin
    score, back = np.empty((2, 4)), np.empty((length, 4), np.uint8)
    for state in range(4):
        score[0, state] = model.start[state] + model.emit[state, codes[begin]]
    now = 0
    for place in range(1, length):
        for state in range(4):
            emitted = model.emit[state, codes[begin + place]]
            # before B: E, S; before E: B, M; before M: B, M; before S: E, S
            one, other = (BEGIN, MIDDLE) if state in (END, MIDDLE) else (END, SINGLE)
            first = score[now, one] + model.change[one, state] + emitted
            second = score[now, other] + model.change[other, state] + emitted
            score[1 - now, state], back[place, state] = (second, other) if second >= first else (first, one)
        now = 1 - now
    path = np.empty(length, np.uint8)
    state = SINGLE if score[now, SINGLE] >= score[now, END] else END
    for place in range(length - 1, -1, -1):
        path[place] = state
        state = back[place, state]
    start = following = begin
    for place in range(length):
        if path[place] == BEGIN:
            start = begin + place
        elif path[place] == END:
            following = begin + place + 1
            add(words, start, following, 0)
        elif path[place] == SINGLE:
            following = begin + place + 1
            add(words, begin + place, following, 0)
    if following < end:
        add(words, following, end, 0)


def parts_run(codes: Ints, begin: int, end: int, model: PartsModel, words: Words) -> None:
    """Cut and tag a run of Chinese characters by BMES times part (`posseg.viterbi`, `POSTokenizer.__cut`)."""
    length, states = end - begin, len(model.start)
    score, emit = np.empty((2, states)), np.full(states, SMALLEST)
    back = np.empty((length, states), np.int16)
    live, before = np.empty(states, np.int32), np.empty(states, np.int32)
    following = np.empty(4, np.uint64)
    count = now = 0
    for place in range(length):
        row = model.character[codes[begin + place]]
        emits = range(0) if row < 0 else range(model.emit_offsets[row], model.emit_offsets[row + 1])
        for entry in emits:
            emit[model.emit_states[entry]] = model.emits[entry]
        known = row >= 0 and model.state_offsets[row] < model.state_offsets[row + 1]
        if place == 0:
            count = 0
            for entry in range(model.state_offsets[row], model.state_offsets[row + 1]) if known else range(states):
                state = model.states[entry] if known else entry
                live[count] = state
                count += 1
                score[0, state] = model.start[state] + emit[state]
                back[0, state] = -1
        else:
            following[:] = 0
            previous = 0
            for entry in range(count):
                state = live[entry]
                bits = model.follows[state]
                if bits[0] | bits[1] | bits[2] | bits[3]:
                    before[previous] = state
                    previous += 1
                    for word in range(4):
                        following[word] |= bits[word]
            if previous == 0:
                raise ValueError("no state has a successor")
            before[:previous].sort()
            count = 0
            if known:
                for entry in range(model.state_offsets[row], model.state_offsets[row + 1]):
                    state = model.states[entry]
                    if following[state >> 6] >> np.uint64(state & 63) & np.uint64(1):
                        live[count] = state
                        count += 1
            if count == 0:  # an unknown character, or no possible next state
                for state in range(states):
                    if following[state >> 6] >> np.uint64(state & 63) & np.uint64(1):
                        live[count] = state
                        count += 1
            for entry in range(count):
                state = live[entry]
                best, chosen = -np.inf, before[0]
                for other in range(previous):
                    found = score[now, before[other]] + model.change[before[other], state] + emit[state]
                    if found >= best:
                        best, chosen = found, before[other]
                score[1 - now, state] = best
                back[place, state] = chosen
            now = 1 - now
        for entry in emits:
            emit[model.emit_states[entry]] = SMALLEST
    best, state = -np.inf, -1
    for entry in range(count):
        if score[now, live[entry]] > best or (score[now, live[entry]] == best and live[entry] > state):
            best, state = score[now, live[entry]], live[entry]
    path = np.empty(length, np.int16)
    for place in range(length - 1, -1, -1):
        path[place] = state
        state = back[place, state]
    start = done = begin
    for place in range(length):
        letter, part = model.letter[path[place]], model.part[path[place]]
        if letter == BEGIN:
            start = begin + place
        elif letter == END:
            done = begin + place + 1
            add(words, start, done, part)
        elif letter == SINGLE:
            done = begin + place + 1
            add(words, begin + place, done, part)
    if done < end:
        add(words, done, end, model.part[path[done - begin]])


def plain_singles(codes: Ints, begin: int, end: int, kinds: Bytes, model: PlainModel, words: Words) -> None:
    """Segment a run of single characters (`finalseg.cut`): Chinese ones by BMES, numbers, Latin words, the rest."""
    place = begin
    while place < end:
        start = place
        if kind(kinds, codes[place]) & HAN:
            while place < end and kind(kinds, codes[place]) & HAN:
                place += 1
            plain_run(codes, start, place, model, words)
        elif kind(kinds, codes[place]) & (LETTER | DIGIT):
            while place < end and kind(kinds, codes[place]) & (LETTER | DIGIT):
                place += 1
            if place + 1 < end and codes[place] == ord(".") and kind(kinds, codes[place + 1]) & DIGIT:
                place += 1
                while place < end and kind(kinds, codes[place]) & DIGIT:
                    place += 1
            if place < end and codes[place] == ord("%"):
                place += 1
            add(words, start, place, 0)
        else:
            while place < end and not kind(kinds, codes[place]) & (HAN | LETTER | DIGIT):
                place += 1
            add(words, start, place, 0)


def parts_singles(
    codes: Ints,
    begin: int,
    end: int,
    kinds: Bytes,
    model: PartsModel,
    words: Words,
    number: int,
    latin: int,
    other: int,
) -> None:
    """Cut and tag a run of single characters (`POSTokenizer.__cut_detail`)."""
    place = begin
    while place < end:
        start = place
        if kind(kinds, codes[place]) & HAN:
            while place < end and kind(kinds, codes[place]) & HAN:
                place += 1
            parts_run(codes, start, place, model, words)
        elif kind(kinds, codes[place]) & (POINT | DIGIT):
            while place < end and kind(kinds, codes[place]) & (POINT | DIGIT):
                place += 1
            add(words, start, place, number)
        elif kind(kinds, codes[place]) & LETTER:
            while place < end and kind(kinds, codes[place]) & (LETTER | DIGIT):
                place += 1
            add(words, start, place, latin)
        else:
            while place < end and not kind(kinds, codes[place]) & (HAN | LETTER | DIGIT | POINT):
                place += 1
            add(words, start, place, other)


def cut_block(
    codes: Ints,
    begin: int,
    end: int,
    kinds: Bytes,
    dictionary: Dictionary,
    plain: PlainModel,
    parts: PartsModel,
    tagged: bool,
    flags: tuple[int, int, int],
    words: Words,
) -> None:
    """Segment one block (`__cut_DAG` of either mode): words of the likeliest way, and its runs of single characters."""
    number, latin, other = flags
    score, step = np.empty(end - begin + 1), np.empty(end - begin, np.int64)
    best_way(codes, begin, end, dictionary, score, step)
    place = run = begin
    while True:
        following = step[place - begin] if place < end else end
        if place < end and following - place == 1:
            place = following
            continue
        if place - run == 1:
            add(words, run, place, dictionary.part[child(dictionary, ROOT, codes[run])] if tagged else 0)
        elif place > run and is_word(codes, run, place, dictionary):
            for each in range(run, place):
                add(words, each, each + 1, dictionary.part[child(dictionary, ROOT, codes[each])] if tagged else 0)
        elif place > run and tagged:
            parts_singles(codes, run, place, kinds, parts, words, number, latin, other)
        elif place > run:
            plain_singles(codes, run, place, kinds, plain, words)
        if place == end:
            return
        node = ROOT
        if tagged:
            for each in range(place, following):
                node = child(dictionary, node, codes[each])
        add(words, place, following, dictionary.part[node])
        place = run = following


def cut_texts(
    codes: Ints,
    ends: Places,
    kinds: Bytes,
    dictionary: Dictionary,
    plain: PlainModel,
    parts: PartsModel,
    tagged: bool,
    flags: tuple[int, int, int],
    words: Words,
    counts: Ints,
) -> None:
    """Segment texts (`cut` of either mode); white space is not a word.

    Args:
        codes, ends: the characters of all texts, and the end of each text.
        tagged: use posseg's mode, with parts; else plain segmentation, whose parts are all 0.
        flags: parts of numbers, of Latin words, and of anything else.
        words: filled.
        counts: filled: number of words in each text, int32 (text,).
    """
    in_block = IN_BLOCK if tagged else IN_BLOCK | PERCENT | HYPHEN
    begin = 0
    for text in range(len(ends)):
        place, before = begin, words.found[0]
        while place < ends[text]:
            start = place
            of = kind(kinds, codes[place])
            if of & in_block:
                while place < ends[text] and kind(kinds, codes[place]) & in_block:
                    place += 1
                cut_block(codes, start, place, kinds, dictionary, plain, parts, tagged, flags, words)
            else:
                place += 1
                if not of & SPACE:
                    add(words, start, place, flags[2] if tagged else 0)
        counts[text] = words.found[0] - before
        begin = ends[text]


def spell(codes: Ints, begins: Places, ends: Places, offsets: Ints, letters: Bytes) -> int:
    """Write the words in UTF-8 into `letters` uint8, with `offsets` int32 (word + 1,); return the number of bytes."""
    size = 0
    offsets[0] = 0
    for word in range(len(begins)):
        for place in range(begins[word], ends[word]):
            code = codes[place]
            if code < 0x80:
                letters[size] = code
                size += 1
                continue
            if code < 0x800:
                letters[size] = 0xC0 | code >> 6
                size += 1
            else:
                if code < 0x10000:
                    letters[size] = 0xE0 | code >> 12
                    size += 1
                else:
                    letters[size] = 0xF0 | code >> 18
                    letters[size + 1] = 0x80 | code >> 12 & 0x3F
                    size += 2
                letters[size] = 0x80 | code >> 6 & 0x3F
                size += 1
            letters[size] = 0x80 | code & 0x3F
            size += 1
        offsets[word + 1] = size
    return size
