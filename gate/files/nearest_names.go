package files

import (
	"cmp"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
)

const (
	namesLooked = 2_000 // of a folder, so that a huge one costs little
	namesShown  = 5
)

// describeNearby returns what exists instead: the nearest names in the folder, or that there is no
// such folder. A path misspelt by the agent is then plain to see.
func describeNearby(fsys fs.FS, wanted string) string {
	folder := path.Dir(path.Clean(wanted))
	if strings.ContainsAny(folder, `*?[{`) {
		return ""
	}
	if info, err := fs.Stat(fsys, folder); err != nil || !info.IsDir() {
		return fmt.Sprintf("\nneither does the folder %s", folder)
	}
	names := nearestNames(listNames(fsys, folder), path.Base(wanted))
	if len(names) == 0 {
		return ""
	}
	where := "the workspace"
	if folder != "." {
		where = folder
	}
	return fmt.Sprintf("\nnearest names in %s: %s", where, strings.Join(names, ", "))
}

func listNames(fsys fs.FS, folder string) []string {
	f, err := fsys.Open(folder)
	if err != nil {
		return nil
	}
	defer f.Close()
	dir, ok := f.(fs.ReadDirFile)
	if !ok {
		return nil
	}
	entries, _ := dir.ReadDir(namesLooked)
	names := make([]string, 0, len(entries))
	for _, e := range entries {
		if e.Name() != ".git" {
			names = append(names, e.Name())
		}
	}
	return names
}

// nearestNames returns the names that differ in the fewest letters from the wanted one.
func nearestNames(names []string, wanted string) []string {
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(editDistance(a, wanted)-editDistance(b, wanted), strings.Compare(a, b))
	})
	return names[:min(len(names), namesShown)]
}

// editDistance returns the number of letters to insert, delete or change, regardless of case.
func editDistance(a, b string) int {
	from, to := []rune(strings.ToLower(a)), []rune(strings.ToLower(b))
	row := make([]int, len(to)+1)
	for j := range row {
		row[j] = j
	}
	for i, r := range from {
		diagonal := row[0]
		row[0] = i + 1
		for j, s := range to {
			change := diagonal
			if r != s {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(to)]
}
