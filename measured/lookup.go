package measured

import (
	"meshplan/models"
)

// lookup is the catalogues, with the names that were asked for before: a table
// names few models many times.
type lookup struct {
	profiles families
	models   []*models.Model
	found    map[string]*models.Model // nil for a name that is in no catalogue
}

func newLookup(profiles families) *lookup {
	return &lookup{profiles: profiles, models: models.All(), found: map[string]*models.Model{}}
}

// model is a copy of the catalogue's model of that name, nil if there is none.
func (l *lookup) model(name string) *models.Model {
	m, asked := l.found[name]
	if !asked {
		m, _ = models.Find(name) // an unknown name is not an error here
		l.found[name] = m
	}
	if m == nil {
		return nil
	}
	return m.Clone()
}
