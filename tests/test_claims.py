"""The lint of the claims table: sources cite only what exists, and every claim is cited, graded and tested."""

import ast
import re
from pathlib import Path

import pytest

import refgpu
from refgpu import claims

ROOT = Path(__file__).resolve().parent.parent
CITATION = re.compile(r"\[([A-Z]{2,}[A-Z0-9]*(?:-[A-Z0-9]+)+)\]")
SOURCES = sorted(path for folder in ("refgpu", "raster", "texture", "metadata")
                 for path in (ROOT / folder).rglob("*.py"))


def cited_in(text: str) -> set[str]:
    return set(CITATION.findall(text))


CITED = {path: cited_in(path.read_text("utf-8")) for path in SOURCES}


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_source_cites_only_claims_of_the_table(path):
    assert CITED[path] - set(claims.table()) == set()


def test_every_claim_is_cited_by_some_source():
    assert set(claims.table()) - set().union(*CITED.values()) == set()


def functions_of(path: Path) -> set[str]:
    names = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.FunctionDef):
            names.add(node.name)
        elif isinstance(node, ast.ClassDef):
            names.update(f"{node.name}::{item.name}" for item in node.body if isinstance(item, ast.FunctionDef))
    return names


@pytest.mark.parametrize("claim", claims.table().values(), ids=lambda claim: claim.id)
def test_claim_is_well_formed(claim):
    assert CITATION.fullmatch(f"[{claim.id}]"), f"{claim.id}: an id is capital words with dashes"
    assert claim.grade in claims.GRADES
    assert claim.statement.endswith(".")
    assert claim.source
    assert len(claim.alternatives) != 1, "one alternative is no contest"
    file, _, function = claim.test.partition("::")
    assert re.fullmatch(r"tests/test_\w+\.py", file)
    assert (ROOT / file).is_file(), f"{claim.id}: no {file}"
    assert function.partition("[")[0] in functions_of(ROOT / file), f"{claim.id}: no {claim.test}"


def test_a_misspelled_citation_is_seen():
    assert cited_in("rounds to even.  [TEX-WEIGHT-RNE] [x, y] [A-Z] [0]") == {"TEX-WEIGHT-RNE"}


def test_each_citation_has_brackets_of_its_own():
    """Several ids in one pair of brackets would escape the lint."""
    several = re.compile(r"\[[A-Z]{2,}[A-Z0-9]*-[A-Z0-9-]+[,; /]")
    assert [path for path in SOURCES if several.search(path.read_text("utf-8"))] == []


def test_ids_are_unique_and_unknown_ones_are_refused():
    with pytest.raises(refgpu.InputError, match="NO-SUCH-CLAIM"):
        claims.get("NO-SUCH-CLAIM")
    with pytest.raises(refgpu.InputError, match="no alternative"):
        claims.Variant({next(iter(claims.table())): "no such alternative"})


def test_variant_defaults_to_the_first_alternative():
    contested = [claim for claim in claims.table().values() if claim.alternatives]
    for claim in contested:
        first, second = list(claim.alternatives)[:2]
        assert claims.Variant()[claim.id] == first
        assert claims.Variant({claim.id: second})[claim.id] == second
